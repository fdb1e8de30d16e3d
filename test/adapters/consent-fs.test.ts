import { readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createFileConsent } from "../../src/adapters/consent-fs.js"
import { computeTextDigest } from "../../src/core/hash.js"
import { makeTempFolder } from "../fakes/temp-folder.js"

const clock = () => 1796083200
const digest = computeTextDigest("target")

test("consent is there after it was given, and not before", async () => {
  const path = join(await makeTempFolder(), "config", "consent.json")
  const consent = createFileConsent(path, clock)
  expect(await consent.has(digest)).toBe(false)
  await consent.add(digest, "add memory")
  expect(await consent.has(digest)).toBe(true)
  expect(await consent.has(computeTextDigest("other"))).toBe(false)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
    format: "toolsum-consent/v1",
    targets: { [digest]: { at: "2026-12-01T00:00:00.000Z", why: "add memory" } },
  })
})

test("giving it twice writes once; many at once are all kept", async () => {
  const path = join(await makeTempFolder(), "consent.json")
  const consent = createFileConsent(path, clock)
  await consent.add(digest, "first")
  const before = await readFile(path, "utf8")
  await consent.add(digest, "second")
  expect(await readFile(path, "utf8")).toBe(before)
  const digests = Array.from({ length: 5 }, (_, i) => computeTextDigest(`${i}`))
  await Promise.all(digests.map((d) => consent.add(d, "many")))
  expect(await Promise.all(digests.map((d) => consent.has(d)))).toEqual(digests.map(() => true))
})

const grant = `{"at":"2026-12-01T00:00:00.000Z","why":""}`
test.each([
  { name: "zeros", text: "\0".repeat(80) },
  { name: "nothing", text: "" },
  { name: "cut", text: `{"format":"toolsum-consent/v1","targets":{"${digest}":${grant}` },
  { name: "another format", text: `{"format":"toolsum-consent/v2","targets":{}}` },
  { name: "an unknown member", text: `{"format":"toolsum-consent/v1","targets":{},"all":true}` },
  { name: "no digest", text: `{"format":"toolsum-consent/v1","targets":{"*":${grant}}}` },
  { name: "a grant without its members", text: `{"format":"toolsum-consent/v1","targets":{"${digest}":{}}}` },
  { name: "a name twice", text: `{"format":"toolsum-consent/v1","targets":{},"targets":{"${digest}":${grant}}}` },
])("a damaged store ($name) is no consent and is not written over", async ({ text }) => {
  const path = join(await makeTempFolder(), "consent.json")
  await writeFile(path, text)
  const consent = createFileConsent(path, clock)
  await expect(consent.has(digest)).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  await expect(consent.add(digest, "x")).rejects.toMatchObject({ code: "STATE_CORRUPT" })
  expect(await readFile(path, "utf8")).toBe(text)
})
