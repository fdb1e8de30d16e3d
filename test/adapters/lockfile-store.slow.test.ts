// The lockfile and its definitions are one thing: whatever kills a writer midway, `verify` never sees the one beside the other's.
import { spawn } from "node:child_process"
import { readdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { createFileLockfile } from "../../src/adapters/lockfile-store.js"
import { formatLockfile } from "../../src/core/lockfile.js"
import { removePin, renamePin } from "../../src/features/remove.js"
import type { LockfileStore } from "../../src/ports.js"
import { buildModules } from "../fakes/built-cli.js"
import {
  changeTo,
  type DefinedProject,
  judge,
  makeDefinedProject,
  type ProjectState,
  writeState,
} from "../fakes/defined-project.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const ACTOR = { by: "a@example.com", reason: null, nowSec: 1_796_083_200 }

/** Writes `next` and dies before its file system call number `at`; says how many calls it made when it lives. */
const CHILD = `
  import fs from "node:fs"
  import promises from "node:fs/promises"
  import { syncBuiltinESMExports } from "node:module"
  const [modules, path, next, at] = process.argv.slice(1)
  const { parseLockfile } = await import(modules + "/lockfile.mjs")
  const { createFileLockfile } = await import(modules + "/lockfile-store.mjs")
  const state = JSON.parse(fs.readFileSync(next, "utf8"))
  const definitions = Object.entries(state.definitions).map(([name, text]) => [name, text === null ? null : Buffer.from(text, "base64")])
  let calls = 0
  for (const [owner, names] of [[promises, ["open", "rename", "rm", "link", "writeFile"]], [fs, ["mkdirSync"]]])
    for (const name of names) {
      const call = owner[name]
      owner[name] = (...all) => {
        if (calls++ === Number(at)) process.kill(process.pid, "SIGKILL")
        return call(...all)
      }
    }
  syncBuiltinESMExports()
  const change = { lockfile: parseLockfile(state.lockfile), definitions: Object.fromEntries(definitions) }
  await createFileLockfile(path).update(() => change)`

/** True when the child lived. */
async function writeAndDie(modules: string, path: string, next: ProjectState, at: number): Promise<boolean> {
  const { lockfile, definitions = {} } = changeTo(next)
  const encoded = Object.entries(definitions).map(([name, bytes]) => [
    name,
    bytes && Buffer.from(bytes).toString("base64"),
  ])
  const file = join(dirname(path), "..", "next.json")
  const text = { lockfile: formatLockfile(lockfile), definitions: Object.fromEntries(encoded) }
  await writeFile(file, JSON.stringify(text))
  const args = ["--input-type=module", "-e", CHILD, modules, path, file, `${at}`]
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { stdio: "inherit" }).on("close", (code, signal) => {
      if (signal === "SIGKILL") resolve(false)
      else if (code === 0) resolve(true)
      else reject(new Error(`the writer ended with ${code}`))
    })
  })
}

test.each<{ name: string; change: (store: LockfileStore, project: DefinedProject["project"]) => Promise<unknown> }>([
  {
    name: "update",
    change: (store, project) => project.pinInto(store, { name: "notes", tools: ["a", "b"], definitions: true }),
  },
  { name: "remove", change: (lockfile) => removePin({ lockfile, name: "notes", actor: ACTOR }) },
  { name: "rename", change: (lockfile) => renamePin({ lockfile, from: "other", to: "third" }) },
])("killed at any step of $name: never rejected, no pin lost, and the next writer ends it", async ({ change }) => {
  const { project, before, after } = await makeDefinedProject()
  const next = await after((store) => change(store, project))
  const modules = await makeTempFolder()
  await buildModules(modules, ["core/lockfile.ts", "adapters/lockfile-store.ts"])
  const path = join(await makeTempFolder(), "project", "toolsum.lock.json")
  const store = createFileLockfile(path)
  const allowed = [before, next].map(({ lockfile }) => Object.keys(lockfile.servers).sort())
  for (let at = 0; ; at++) {
    await writeState(path, before)
    const lived = await writeAndDie(modules, path, next, at)
    const { names, verdicts, warnings } = await judge(store)
    expect(allowed).toContainEqual(names)
    expect(verdicts).toEqual(names.map(() => "PROVEN"))
    for (const warning of warnings) expect(warning).toMatch(/^definitions_missing:/)
    await store.update(() => changeTo(next))
    expect(await judge(store)).toMatchObject({ warnings: [] })
    const files = Object.keys(next.definitions).map((name) => `${name}.json`)
    expect((await readdir(join(dirname(path), ".mcp-tools"))).sort()).toEqual(files.sort())
    if (lived) return expect(at).toBeGreaterThan(6)
  }
})
