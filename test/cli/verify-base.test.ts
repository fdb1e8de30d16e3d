// `verify --base REF`: a git revision may name roots and makes definitions a must; the working tree may not speak for itself.
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type CliWorld, expectOneLine, makePinnedWorld } from "../fakes/cli-world.js"
import { commitAll, git } from "../fakes/git.js"
import { validateReport } from "../fakes/report-schema.js"

const settings = (world: CliWorld, roots: unknown) => world.write("toolsum.json", JSON.stringify({ roots }))

/** A project with one pin whose root nobody here trusts, and the root as `--root` takes it. */
async function makeStrangerWorld() {
  const { world } = await makePinnedWorld()
  const { roots } = (await world.json("verify")).document
  world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
  return { world, root: `${roots[0].log}=${roots[0].fingerprint}` }
}

const verdictOf = async (world: CliWorld, ...options: readonly string[]) => {
  const { code, document } = await world.json("verify", ...options)
  validateReport(document)
  return {
    code,
    verdict: document.servers[0].verdict,
    reason: document.servers[0].reason,
    source: document.roots[0].source,
  }
}

test("roots of toolsum.json count from the base, never from the working tree", async () => {
  const { world, root } = await makeStrangerWorld()
  const unpinned = { code: 2, verdict: "UNKNOWN", reason: "root_not_pinned", source: null }
  await commitAll(world.folder)
  await settings(world, [root])
  expect(await verdictOf(world)).toEqual(unpinned)
  expect(await verdictOf(world, "--base", "HEAD")).toEqual({ ...unpinned, code: 1 }) // a new root is to be accepted
  await commitAll(world.folder)
  expect(await verdictOf(world)).toEqual(unpinned)
  expect(await verdictOf(world, "--base", "HEAD")).toEqual({ code: 0, verdict: "PROVEN", reason: null, source: "base" })
  expect(await verdictOf(world, "--base", "HEAD~1")).toEqual({ ...unpinned, code: 1 })
  await settings(world, [])
  expect((await verdictOf(world, "--base", "HEAD")).verdict).toBe("PROVEN")
})

test("a root of the base that is another one for this log refuses it", async () => {
  const { world, root } = await makeStrangerWorld()
  const other = root.replace(/SHA256:./, (head) => (head.endsWith("A") ? "SHA256:B" : "SHA256:A"))
  await settings(world, [other])
  await commitAll(world.folder)
  expect(await verdictOf(world, "--base", "HEAD")).toMatchObject({ code: 3, verdict: "REJECTED" })
})

test("missing definitions are a warning, and under a base no proof", async () => {
  const { world, root } = await makeStrangerWorld()
  await settings(world, [root])
  await commitAll(world.folder)
  await rm(join(world.folder, ".mcp-tools", "notes.json"))
  expect(await verdictOf(world, "--root", root)).toMatchObject({ code: 0, verdict: "PROVEN" })
  expect(await verdictOf(world, "--base", "HEAD")).toMatchObject({ code: 1, verdict: "UNKNOWN", reason: "incomplete" })
  expect(await verdictOf(world, "--base", "HEAD", "--no-definitions")).toMatchObject({ code: 0, verdict: "PROVEN" })
})

test("the base is found from a folder inside the repository too", async () => {
  const { world, root } = await makeStrangerWorld()
  await writeFile(join(world.folder, "..", "README"), "")
  await settings(world, [root])
  await commitAll(join(world.folder, ".."))
  expect((await verdictOf(world, "--base", "HEAD")).verdict).toBe("PROVEN")
})

test.each([
  { name: "a revision that is not there", ref: "nowhere", part: "git knows no revision" },
  { name: "a revision that is an option", ref: "--output=x", part: "" },
  { name: "an empty revision", ref: "", part: "expected a git revision" },
  { name: "a path behind a revision", ref: "HEAD:toolsum.json", part: "expected a git revision" },
])("--base refuses $name", async ({ ref, part }) => {
  const { world } = await makePinnedWorld()
  await commitAll(world.folder)
  const outcome = await world.expect(2, "verify", "--base", ref)
  expectOneLine(outcome, "USAGE", part)
})

test("--base outside git is refused", async () => {
  const { world } = await makePinnedWorld()
  expectOneLine(await world.expect(2, "verify", "--base", "HEAD"), "git knows no revision", "USAGE")
})

test.each([
  { name: "no JSON", text: "{" },
  { name: "no object", text: "[]" },
  { name: "roots that are no list", text: '{"roots":"SHA256:x"}' },
  { name: "a root that is no text", text: '{"roots":[1]}' },
  { name: "a root that is no fingerprint", text: '{"roots":["SHA256:x"]}' },
  { name: "a member twice", text: '{"roots":[],"roots":[]}' },
  { name: "a member that nobody knows", text: '{"root":[]}' },
])("a base whose toolsum.json has $name is a configuration error", async ({ text }) => {
  const { world } = await makePinnedWorld()
  await world.write("toolsum.json", text)
  await commitAll(world.folder)
  expectOneLine(await world.expect(2, "verify", "--base", "HEAD"), "toolsum.json at HEAD", "CONFIG_INVALID")
})

test("git is not asked without --base", async () => {
  const { world } = await makePinnedWorld()
  await commitAll(world.folder)
  git(world.folder, "update-ref", "-d", "HEAD")
  await world.expect(0, "verify")
})
