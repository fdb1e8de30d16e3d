// Git on a repository whose configuration, attributes, hooks and neighbours want to run something: whatever they name makes a marker.
import { existsSync } from "node:fs"
import { chmod, mkdir, rm, writeFile } from "node:fs/promises"
import { delimiter, join } from "node:path"
import { expect, test } from "vitest"
import { openRepository, readAtRevision } from "../../src/adapters/git.js"
import { cleanEnvironment } from "../../src/adapters/git-environment.js"
import { commitAll, git } from "../fakes/git.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const ENVIRONMENT = { PATH: process.env.PATH }

const textOf = (bytes: Uint8Array | null): string | null => bytes && new TextDecoder().decode(bytes)

async function makeRepository() {
  const folder = join(await makeTempFolder(), "project")
  await mkdir(join(folder, "sub"), { recursive: true })
  await writeFile(join(folder, "a.json"), "old")
  await writeFile(join(folder, "sub", "b.json"), "below")
  await commitAll(folder)
  git(folder, "branch", "--move", "main")
  return folder
}

/** A script that makes a marker, and the marker. */
async function makeTrap(folder: string, name = "trap") {
  const [script, marker] = [join(folder, "..", name), join(folder, "..", "marker")]
  await writeFile(script, `#!/bin/sh\necho "$0 $@" >> '${marker}'\n`)
  await chmod(script, 0o755)
  return { script, marker }
}

const HOSTILE = (script: string): readonly (readonly [string, string])[] => [
  ["core.fsmonitor", script],
  ["core.pager", script],
  ["core.editor", script],
  ["core.sshCommand", script],
  ["core.askPass", script],
  ["core.gitProxy", script],
  ["core.alternateRefsCommand", script],
  ["credential.helper", script],
  ["diff.external", script],
  ["diff.trap.textconv", script],
  ["diff.trap.command", script],
  ["filter.trap.clean", script],
  ["filter.trap.smudge", script],
  ["filter.trap.process", script],
  ["merge.trap.driver", script],
  ["pager.rev-parse", script],
  ["pager.cat-file", script],
  ["pager.ls-tree", script],
  ["alias.rev-parse", `!${script}`],
  ["alias.cat-file", `!${script}`],
  ["alias.ls-tree", `!${script}`],
  ["alias.merge-base", `!${script}`],
  ["gpg.program", script],
  ["log.showSignature", "true"],
  ["protocol.ext.allow", "always"],
  ["remote.origin.url", `ext::${script}`],
  ["remote.origin.uploadpack", script],
  ["remote.origin.promisor", "true"],
  ["remote.origin.partialclonefilter", "blob:none"],
  ["extensions.partialClone", "origin"],
  ["core.repositoryFormatVersion", "1"],
]

test("a hostile configuration, attributes and hooks run nothing", async () => {
  const folder = await makeRepository()
  const { script, marker } = await makeTrap(folder)
  await writeFile(join(folder, ".gitattributes"), "* filter=trap diff=trap merge=trap\n")
  git(folder, "add", ".gitattributes")
  git(folder, "commit", "--quiet", "--message", "attributes")
  for (const [name, value] of HOSTILE(script)) git(folder, "config", name, value)
  const hooks = join(folder, ".git", "hooks")
  await mkdir(hooks, { recursive: true })
  for (const hook of ["post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\nexec '${script}' ${hook}\n`, { mode: 0o755 })
  }
  const repository = openRepository(folder, ENVIRONMENT)
  const [head, before] = [await repository.resolve("HEAD"), await repository.resolve("main~1")]
  expect(await repository.mergeBases(head, before)).toEqual([before])
  expect(await repository.isShallow()).toBe(false)
  expect(textOf(await repository.readAt(head, join(folder, "a.json")))).toBe("old")
  expect(existsSync(marker)).toBe(false)
})

test("bytes that a partial clone left behind are missing, not absent, and nobody is asked for them", async () => {
  const folder = await makeRepository()
  const { script, marker } = await makeTrap(folder)
  for (const [name, value] of HOSTILE(script)) git(folder, "config", name, value)
  const blob = git(folder, "rev-parse", "HEAD:a.json").trim()
  await rm(join(folder, ".git", "objects", blob.slice(0, 2), blob.slice(2)), { force: true })
  await expect(readAtRevision("HEAD", join(folder, "a.json"), ENVIRONMENT)).rejects.toMatchObject({ code: "IO_FAILED" })
  expect(existsSync(marker)).toBe(false)
})

test("variables of the process do not lead git elsewhere", async () => {
  const [folder, other] = [await makeRepository(), await makeRepository()]
  await writeFile(join(other, "a.json"), "theirs")
  await commitAll(other)
  const { script, marker } = await makeTrap(folder)
  const hostile = {
    ...ENVIRONMENT,
    GIT_DIR: join(other, ".git"),
    GIT_WORK_TREE: other,
    GIT_OBJECT_DIRECTORY: join(other, ".git", "objects"),
    GIT_SSH_COMMAND: script,
    GIT_EXTERNAL_DIFF: script,
    GIT_PAGER: script,
    GIT_TRACE: marker,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "core.fsmonitor",
    GIT_CONFIG_VALUE_0: script,
    GIT_EXEC_PATH: join(folder, ".."),
  }
  expect(textOf(await readAtRevision("HEAD", join(folder, "a.json"), hostile))).toBe("old")
  expect(existsSync(marker)).toBe(false)
})

test("a program called git in the work tree is not started", async () => {
  const folder = await makeRepository()
  const bin = join(folder, "node_modules", ".bin")
  await mkdir(bin, { recursive: true })
  const { script, marker } = await makeTrap(folder)
  await writeFile(join(bin, "git"), `#!/bin/sh\nexec '${script}'\n`, { mode: 0o755 })
  const PATH = [bin, ".", "", "node_modules/.bin", process.env.PATH].join(delimiter)
  expect(textOf(await readAtRevision("HEAD", join(folder, "a.json"), { PATH }))).toBe("old")
  expect(existsSync(marker)).toBe(false)
  expect(cleanEnvironment({ PATH: [bin, "/usr/bin", "rel"].join(delimiter), GIT_DIR: "x" }, folder)).toMatchObject({
    PATH: "/usr/bin",
  })
})

test("a replaced commit is what it was", async () => {
  const folder = await makeRepository()
  const first = git(folder, "rev-parse", "HEAD").trim()
  await writeFile(join(folder, "a.json"), "forged")
  await commitAll(folder)
  git(folder, "replace", first, "HEAD")
  expect(textOf(await readAtRevision(first, join(folder, "a.json"), ENVIRONMENT))).toBe("old")
})

test("a file below, one that was not there, and what is no regular file", async () => {
  const folder = await makeRepository()
  const at = (path: string) => readAtRevision("HEAD", join(folder, path), ENVIRONMENT)
  expect(textOf(await at("sub/b.json"))).toBe("below")
  expect(await at("c.json")).toBeNull()
  expect(await at("*.json")).toBeNull()
  await expect(at("sub")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
  git(folder, "update-index", "--add", "--cacheinfo", `120000,${git(folder, "rev-parse", "HEAD:a.json").trim()},link`)
  git(folder, "commit", "--quiet", "--message", "link")
  await expect(at("link")).rejects.toMatchObject({ code: "CONFIG_INVALID" })
})

test.each(["--output=x", "", "HEAD:a.json", "nowhere", "-h", "HEAD ^main", "HEAD\n"])(
  "%j is no revision",
  async (ref) => {
    const folder = await makeRepository()
    await expect(readAtRevision(ref, join(folder, "a.json"), ENVIRONMENT)).rejects.toMatchObject({ code: "USAGE" })
  },
)

test("without git, and outside a repository", async () => {
  const folder = await makeRepository()
  await expect(readAtRevision("HEAD", join(folder, "a.json"), { PATH: folder })).rejects.toMatchObject({
    code: "USAGE",
  })
  expect(() => openRepository(join(folder, "..", "nowhere"), ENVIRONMENT)).toThrow(
    expect.objectContaining({ code: "USAGE" }),
  )
  const outside = await makeTempFolder()
  expect(() => openRepository(outside, ENVIRONMENT)).toThrow(expect.objectContaining({ code: "USAGE" }))
})
