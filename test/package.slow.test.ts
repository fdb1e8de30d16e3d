// The package as it is published: packed, unpacked where a user has it, imported by name, type-checked by two resolutions, and started.
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"

const ROOT = fileURLToPath(new URL("..", import.meta.url))
let base = ""
let consumer = ""

const run = (command: string, args: readonly string[], cwd: string): string =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] })

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "toolsum-package-"))
  const source = join(base, "source")
  mkdirSync(source)
  for (const name of readdirSync(ROOT).filter((file) => /^[A-Z]+(?:\.md)?$|^package\.json$/.test(file)))
    cpSync(join(ROOT, name), join(source, name))
  for (const name of ["schemas", "scripts", "vendor-keys"])
    cpSync(join(ROOT, name), join(source, name), { recursive: true })
  symlinkSync(join(ROOT, "node_modules"), join(source, "node_modules"))
  run(process.execPath, [join(ROOT, "scripts/build.mjs"), join(source, "dist")], ROOT)
  run("npm", ["pack", "--ignore-scripts", "--pack-destination", base], source)
  consumer = join(base, "consumer")
  const installed = join(consumer, "node_modules", "toolsum")
  mkdirSync(installed, { recursive: true })
  const [tarball = ""] = readdirSync(base).filter((name) => name.endsWith(".tgz"))
  run("tar", ["-xzf", join(base, tarball), "--strip-components=1", "-C", installed], base)
  symlinkSync(join(ROOT, "node_modules"), join(installed, "node_modules"))
  writeFileSync(join(consumer, "package.json"), '{"type":"module"}')
}, 300_000)
afterAll(() => rm(base, { recursive: true, force: true }))

test("what is packed is clean", () => {
  expect(run(process.execPath, ["scripts/check-package.mjs"], join(base, "source"))).toMatch(/, 0 faults\n$/)
})

test("its entry points resolve by name", () => {
  const script = `
    import { verifyInclusion, hashLeaf, hashNode, ToolsumError } from "toolsum"
    import { createRequire } from "node:module"
    const require = createRequire(import.meta.url)
    const [a, b] = ["a", "b"].map((text) => hashLeaf(new TextEncoder().encode(text)))
    const head = { size: 2n, rootHash: hashNode(a, b) }
    verifyInclusion({ leafHash: a, index: 0n, proof: [b], head })
    let code = null
    try { verifyInclusion({ leafHash: b, index: 0n, proof: [b], head }) } catch (error) { code = error instanceof ToolsumError && error.code }
    console.log(JSON.stringify([code, require("toolsum/package.json").name, require("toolsum/schemas/report.schema.json").$id]))`
  writeFileSync(join(consumer, "use.mjs"), script)
  const printed = run(process.execPath, ["use.mjs"], consumer)
  expect(JSON.parse(printed)).toEqual(["INCLUSION_INVALID", "toolsum", "urn:toolsum:report:v1"])
  expect(() => run(process.execPath, ["-e", 'import("toolsum/dist/core/note.js")'], consumer)).toThrow(
    /not exported|EXPORTED/,
  )
})

test.each(["nodenext", "bundler"])("its types resolve and stand alone with %s", (moduleResolution) => {
  const program = `
    import { diffSurfaces, parseSurface, parseJson, verifyLockfile, type Lockfile, type LockfileReport, type Digest } from "toolsum"
    export const judge = (lockfile: Lockfile): LockfileReport => verifyLockfile({ lockfile, roots: [], nowSec: 0n })
    export const first: string | undefined = diffSurfaces(parseSurface(parseJson("{}")), parseSurface(parseJson("{}"))).changes[0]?.pointer
    export const digest: Digest = \`sha256:\${"0"}\``
  writeFileSync(join(consumer, "use.ts"), program)
  const module = moduleResolution === "nodenext" ? "nodenext" : "esnext"
  const options = {
    module,
    moduleResolution,
    target: "es2022",
    lib: ["es2022"],
    types: [],
    strict: true,
    noEmit: true,
    skipLibCheck: false,
  }
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["use.ts"] }))
  expect(run(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", "."], consumer)).toBe("")
})

test("its command starts", () => {
  const bin = join(consumer, "node_modules/toolsum/dist/cli/bin.js")
  expect(run(process.execPath, [bin, "--version"], consumer)).toMatch(/^[0-9]+\.[0-9]+\.[0-9]+\n$/)
})
