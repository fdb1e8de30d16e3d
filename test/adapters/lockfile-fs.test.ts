import { spawn } from "node:child_process"
import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { findLockfile, LOCKFILE_NAME, readLockfile, updateLockfile } from "../../src/adapters/lockfile-fs.js"
import { formatLockfile, type Lockfile } from "../../src/core/lockfile.js"
import type { LockfileChange } from "../../src/ports.js"
import { buildModules } from "../fakes/built-cli.js"
import { withPin as lockfileWithPin } from "../fakes/small-lockfile.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const makePath = async () => join(await makeTempFolder(), LOCKFILE_NAME)
const read = (path: string): Lockfile => readLockfile(path) ?? expect.fail("no lockfile")
const GOOD = formatLockfile(lockfileWithPin(null, "one"))

const withPin = (now: Lockfile | null, name: string): LockfileChange => ({ lockfile: lockfileWithPin(now, name) })

describe("finding", () => {
  test("the nearest lockfile up to the git root", async () => {
    const root = await makeTempFolder()
    const inner = join(root, "a", "b")
    await mkdir(inner, { recursive: true })
    await writeFile(join(root, ".git"), "gitdir: elsewhere") // a work tree has a file there
    expect(findLockfile(inner)).toEqual({ lockfile: null, gitRoot: root })
    await writeFile(join(root, LOCKFILE_NAME), "")
    expect(findLockfile(inner)).toEqual({ lockfile: join(root, LOCKFILE_NAME), gitRoot: root })
    await writeFile(join(root, "a", LOCKFILE_NAME), "")
    expect(findLockfile(inner)).toEqual({ lockfile: join(root, "a", LOCKFILE_NAME), gitRoot: root })
  })

  test("not above the git root, and outside git not above the folder", async () => {
    const top = await makeTempFolder()
    const inner = join(top, "repository", "src")
    await mkdir(inner, { recursive: true })
    await writeFile(join(top, LOCKFILE_NAME), "")
    expect(findLockfile(inner)).toEqual({ lockfile: null, gitRoot: null })
    expect(findLockfile(top)).toEqual({ lockfile: join(top, LOCKFILE_NAME), gitRoot: null })
    await mkdir(join(top, "repository", ".git"))
    expect(findLockfile(inner)).toEqual({ lockfile: null, gitRoot: join(top, "repository") })
  })
})

describe("reading", () => {
  test("a lockfile", async () => {
    const path = await makePath()
    await writeFile(path, GOOD)
    expect(formatLockfile(read(path))).toBe(GOOD)
  })

  test("nothing", async () => {
    expect(readLockfile(await makePath())).toBeNull()
  })

  test.each([
    { name: "a folder", make: (path: string) => mkdir(path), code: "LOCKFILE_MALFORMED" },
    { name: "binary", make: (path: string) => writeFile(path, new Uint8Array(1000)), code: "LOCKFILE_MALFORMED" },
    { name: "an empty file", make: (path: string) => writeFile(path, ""), code: "LOCKFILE_MALFORMED" },
    {
      name: "a gigabyte",
      make: (path: string) => writeFile(path, "").then(() => truncate(path, 2 ** 30)),
      code: "LOCKFILE_MALFORMED",
    },
    {
      name: "conflict markers",
      make: (path: string) => writeFile(path, `<<<<<<< HEAD\n${GOOD}=======\n>>>>>>> other\n`),
      code: "LOCKFILE_MALFORMED",
    },
    {
      name: "a newer format",
      make: (path: string) => writeFile(path, GOOD.replace("toolsum-lock/v1", "toolsum-lock/v2")),
      code: "LOCKFILE_MALFORMED",
    },
  ])("$name gets one clear line, and an update leaves it alone", async ({ make, code }) => {
    const path = await makePath()
    await make(path)
    const startMs = performance.now()
    const message = expect.stringMatching(/^[^\n]*toolsum\.lock\.json[^\n]*$/)
    expect(() => readLockfile(path)).toThrow(expect.objectContaining({ code, message }))
    const before = await stat(path)
    await expect(updateLockfile(path, (now) => withPin(now, "two"))).rejects.toMatchObject({ code })
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs)
    expect(performance.now() - startMs).toBeLessThan(1000)
  })
})

describe("changing", () => {
  test("makes the file, then changes it, and leaves nothing beside it", async () => {
    const path = await makePath()
    const first = await updateLockfile(path, (now) => withPin(now, "one"))
    expect(first.written).toBe(true)
    expect(await readFile(path, "utf8")).toBe(GOOD)
    await chmod(path, 0o640)
    const second = await updateLockfile(path, async (now) => withPin(now, "two"))
    expect(Object.keys(second.lockfile.servers)).toEqual(["one", "two"])
    expect((await stat(path)).mode & 0o777).toBe(0o640)
    expect(await readdir(join(path, ".."))).toEqual([LOCKFILE_NAME])
  })

  test("nothing changed: the file is not touched, however it is spelled", async () => {
    const path = await makePath()
    const spelled = GOOD.replaceAll("\n", "\r\n")
    await writeFile(path, spelled)
    const old = new Date(1e12)
    await utimes(path, old, old)
    expect((await updateLockfile(path, (now) => withPin(now, "one"))).written).toBe(false)
    expect(await readFile(path, "utf8")).toBe(spelled)
    expect((await stat(path)).mtimeMs).toBe(1e12)
  })

  test("a change that throws changes nothing", async () => {
    const path = await makePath()
    await writeFile(path, GOOD)
    const fail = (): LockfileChange => {
      throw new RangeError("no")
    }
    await expect(updateLockfile(path, fail)).rejects.toThrow(RangeError)
    expect(await readFile(path, "utf8")).toBe(GOOD)
    expect(await readdir(join(path, ".."))).toEqual([LOCKFILE_NAME])
  })

  test("a link at the path is replaced, what it points at is left alone", async () => {
    const path = await makePath()
    const target = join(path, "..", "elsewhere.json")
    await writeFile(target, GOOD)
    await symlink(target, path)
    await updateLockfile(path, (now) => withPin(now, "two"))
    expect(await readFile(target, "utf8")).toBe(GOOD)
    expect(Object.keys(read(path).servers)).toEqual(["one", "two"])
  })

  test("a missing folder is IO_FAILED", async () => {
    const path = join(await makeTempFolder(), "no", LOCKFILE_NAME)
    await expect(updateLockfile(path, (now) => withPin(now, "one"))).rejects.toMatchObject({ code: "IO_FAILED" })
  })

  test("four at once in one process all add their pin", async () => {
    const path = await makePath()
    const names = ["one", "two", "three", "four"]
    await Promise.all(names.map((name) => updateLockfile(path, (now) => withPin(now, name))))
    expect(Object.keys(read(path).servers).sort()).toEqual([...names].sort())
  })
})

test("four processes at once all add their pins", async () => {
  const path = await makePath()
  await writeFile(path, GOOD)
  const modules = await makeTempFolder()
  await buildModules(modules, ["adapters/lockfile-fs.ts"])
  const code = `
    const { updateLockfile } = await import(${JSON.stringify(join(modules, "lockfile-fs.mjs"))})
    const [path, who] = process.argv.slice(1)
    const addPin = (name) => (now) => ({ lockfile: { ...now, servers: { ...now.servers, [name]: now.servers.one } } })
    for (let i = 0; i < 5; i++) await updateLockfile(path, addPin("pin-" + who + "-" + i))`
  const run = (who: number) =>
    new Promise<number | null>((resolve) => {
      const args = ["--input-type=module", "-e", code, path, `${who}`]
      spawn(process.execPath, args, { stdio: "inherit" }).on("close", resolve)
    })
  expect(await Promise.all([0, 1, 2, 3].map(run))).toEqual([0, 0, 0, 0])
  expect(Object.keys(read(path).servers)).toHaveLength(21)
  expect(await readdir(join(path, ".."))).toEqual([LOCKFILE_NAME])
})
