// Texts that say where a server was read, and those that only look so.
import { describe, expect, test } from "vitest"
import { type Mask, parseMasks } from "../../src/core/mask.js"
import { computeSurface, computeSurfaceDigest, SECTION_NAMES, type Surface } from "../../src/core/section.js"
import { findLocalTexts, type LocalNames } from "../../src/surface/local-texts.js"
import { surfaceOf } from "../fakes/readings.js"

const HERE: LocalNames = { folder: "/home/ada/project", home: "/home/ada", user: "ada", host: "ada-laptop.example" }
const THERE: LocalNames = { folder: "/Users/grace/src/other", home: "/Users/grace", user: "grace", host: "build7" }
const NONE: LocalNames = { folder: null, home: null, user: null, host: null }

const find = (surface: Surface, names: LocalNames = HERE, masks: readonly Mask[] = []) =>
  findLocalTexts(surface, { sections: SECTION_NAMES, masks, names })

const tool = (description: string) => surfaceOf({ tools: [{ name: "a", description, inputSchema: {} }] })
const kinds = (description: string, names?: LocalNames) => find(tool(description), names).map(({ kind }) => kind)
const digest = (surface: Surface, masks: readonly Mask[]) =>
  computeSurfaceDigest("listed", computeSurface(surface, SECTION_NAMES, masks).lines)

describe("masks make the lists of two colleagues equal", () => {
  test.each([
    { name: "the folder", say: (at: LocalNames) => `Images go to the image directory: ${at.folder}/images, as PNG.` },
    { name: "the folder as a URL", say: (at: LocalNames) => `Root: file://${at.folder}` },
    { name: "the home folder", say: (at: LocalNames) => `Settings: ${at.home}/.config/x.json` },
    { name: "home and folder", say: (at: LocalNames) => `Reads ${at.home}/.x, writes ${at.folder}.` },
    { name: "the folder twice", say: (at: LocalNames) => `In ${at.folder}; cache in ${at.folder}/cache` },
    { name: "the user's address", say: (at: LocalNames) => `Signed in as ${at.user}@corp` },
    { name: "user and host", say: (at: LocalNames) => `Shell of ${at.user}@${at.host}.` },
    { name: "the host", say: (at: LocalNames) => `Runs on ${at.host} (Linux)` },
  ])("$name", ({ say }) => {
    const [here, there] = [tool(say(HERE)), tool(say(THERE))]
    const found = find(here)
    expect(found.map(({ problem }) => problem)).toEqual(found.map(() => null))
    const masks = found.flatMap((one) => one.masks)
    expect(parseMasks(masks.map((mask) => ({ ...mask })))).toEqual(masks)
    expect(digest(here, [])).not.toBe(digest(there, []))
    expect(digest(here, masks)).toBe(digest(there, masks))
    expect(find(here, HERE, masks)).toEqual([])
  })

  test("wherever it stands", () => {
    const say = ({ folder }: LocalNames) =>
      surfaceOf({
        instructions: `Work in ${folder} only.`,
        serverInfo: { name: `files of ${folder}` },
        prompts: [{ name: "p", arguments: [{ name: "x", description: `Below ${folder}, please` }] }],
        tools: [{ name: "a", inputSchema: { properties: { path: { default: folder } } } }],
      })
    const found = find(say(HERE))
    expect(found.map(({ section, pointer }) => `${section} ${pointer}`)).toEqual([
      "instructions ",
      "tools /inputSchema/properties/path/default",
      "prompts /arguments/0/description",
      "server /name",
    ])
    const masks = found.flatMap((one) => one.masks)
    expect(digest(say(HERE), masks)).toBe(digest(say(THERE), masks))
  })

  test("on Windows, in either spelling", () => {
    const names = { ...NONE, folder: "C:\\Users\\Ada\\project" }
    expect(kinds("Saves to C:\\Users\\Ada\\project\\out", names)).toEqual(["folder"])
    expect(kinds("Saves to C:/Users/Ada/project/out", names)).toEqual(["folder"])
  })
})

describe("no accident is a finding", () => {
  test.each([
    { name: "a word that is the user's name", text: "Ask ada to mark it", names: HERE },
    { name: "root in prose", text: "The root user, root@x", names: { ...NONE, user: "root" } },
    { name: "a short path", text: "Writes to /root/x and /app", names: { ...NONE, folder: "/app", home: "/root" } },
    { name: "the root folder", text: "Below /", names: { ...NONE, folder: "/" } },
    {
      name: "another folder that begins alike",
      text: "See /home/ada/project2",
      names: { ...NONE, folder: "/home/ada/project" },
    },
    { name: "the end of another folder", text: "See /mnt/home/ada/project2", names: { ...NONE, home: "/home/ada" } },
    { name: "a plain word as host", text: "The server is a laptop", names: { ...NONE, host: "laptop" } },
    { name: "part of a longer host", text: "See my-build7.example", names: { ...NONE, host: "build7" } },
    { name: "nothing known", text: "See /home/ada/project", names: NONE },
  ])("$name", ({ text, names }) => {
    expect(kinds(text, names)).toEqual([])
  })

  test("a host name beside its user, and a user's folder, are none", () => {
    expect(kinds("me@laptop", { ...NONE, host: "laptop" })).toEqual(["host"])
    expect(kinds("See /Users/mark/x", { ...NONE, user: "mark" })).toEqual(["user"])
  })
})

test("what no mask can cover says so", () => {
  const folder = "/home/ada/my project"
  expect(find(tool(`Writes to ${folder}.`), { ...NONE, folder })).toMatchObject([
    { kind: "folder", masks: [], problem: expect.stringContaining("no class") },
  ])
  const whole = find(tool("/home/ada/project"), HERE)
  expect(whole).toMatchObject([{ kind: "folder", masks: [], problem: expect.stringContaining("prefix or suffix") }])
  expect(find(tool("In /home/ada/project. ".repeat(65)))).toMatchObject([
    { masks: [], problem: "it is there more than 64 times" },
  ])
  const nameless = surfaceOf({ tools: [{ description: "In /home/ada/project now" }] })
  expect(find(nameless)).toMatchObject([{ item: null, masks: [], problem: "the item has no name" }])
})
