import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { unwrapGuard } from "../../src/core/guard-wrapper.js"

const lineOf = (text: string, env: readonly string[] = []) => {
  const [command = "", ...args] = text.split(" ")
  return { command, args, env }
}

const unwrap = (text: string, env?: readonly string[]) => unwrapGuard(lineOf(text, env))

test.each([
  "toolsum guard -- npx -y notes@1.0.0 --read-only",
  "toolsum.cmd guard --mode block -- npx -y notes@1.0.0 --read-only",
  "toolsum.exe guard --mode=warn --name notes --once -- npx -y notes@1.0.0 --read-only",
  "npx toolsum guard -- npx -y notes@1.0.0 --read-only",
  "npx -y toolsum@0.1.0 guard --name notes -- npx -y notes@1.0.0 --read-only",
  "npx.cmd --yes toolsum@latest guard --report r.jsonl -- npx -y notes@1.0.0 --read-only",
  "cmd /c npx -y toolsum guard -- npx -y notes@1.0.0 --read-only",
  "cmd.exe /C toolsum guard -- npx -y notes@1.0.0 --read-only",
  "pnpm dlx toolsum guard -- npx -y notes@1.0.0 --read-only",
  "npx -y -p toolsum@0.1.0 toolsum guard -- npx -y notes@1.0.0 --read-only",
  "bunx toolsum guard --lock a.json -- npx -y notes@1.0.0 --read-only",
])("%s starts the command behind it", (text) => {
  expect(unwrap(text)).toEqual({ isGuarded: true, command: "npx", args: ["-y", "notes@1.0.0", "--read-only"] })
})

test("what follows the first -- is the server's, a second -- included", () => {
  expect(unwrap("toolsum guard -- npm exec -- --to x")).toEqual({
    isGuarded: true,
    command: "npm",
    args: ["exec", "--", "--to", "x"],
  })
})

test("a guard of a URL, with headers", () => {
  const args = ["guard", "--to", "https://x.example/mcp", "--header", "X-Key: ${KEY}", "--header", "odd"]
  expect(unwrapGuard({ command: "toolsum", args, env: [] })).toEqual({
    isGuarded: true,
    url: "https://x.example/mcp",
    headers: [
      ["X-Key", "${KEY}"],
      ["odd", ""],
    ],
  })
})

test.each(["toolsum guard notes", "toolsum guard --mode warn notes", "npx toolsum guard notes --mode warn"])(
  "%s starts what the pin says",
  (text) => {
    expect(unwrap(text)).toEqual({ isGuarded: true, pin: "notes", isOfUser: false })
  },
)

test("a guard with --user takes the pin of the user's lockfile", () => {
  expect(unwrap("toolsum guard --user notes")).toEqual({ isGuarded: true, pin: "notes", isOfUser: true })
})

describe("is no guard of ours:", () => {
  test.each([
    "npx -y notes@1.0.0",
    "toolsum verify",
    "toolsum",
    "/tmp/toolsum guard -- npx notes", // a program at a path may be anything
    "./toolsum guard -- npx notes",
    "Toolsum guard -- npx notes",
    "npx toolsums guard -- npx notes",
    "npx @evil/toolsum guard -- npx notes",
    "npx toolsum@npm:evil guard -- npx notes",
    "npx toolsum@github:evil/x guard -- npx notes",
    "npx --registry https://evil.example/ toolsum guard -- npx notes",
    "npx -p evil toolsum guard -- npx notes",
    "npx -p toolsum guard -- npx notes", // starts any program of the name guard
    "pnpm dlx --package=toolsum guard -- npx notes",
    "cmd /c toolsum guard --mode x&calc -- npx notes", // cmd.exe starts calc
    "cmd /c npx --loglevel %X% toolsum guard -- npx notes",
    "npx --unknown toolsum guard -- npx notes",
    "uvx toolsum guard -- npx notes",
    "docker run toolsum guard -- npx notes",
    "cmd /k toolsum guard -- npx notes",
  ])("%s", (text) => {
    expect(unwrap(text)).toEqual({ isGuarded: false, command: lineOf(text).command, args: lineOf(text).args })
  })

  test("one that a variable takes from another registry", () => {
    expect(unwrap("npx toolsum guard -- npx notes", ["npm_config_registry"])).toMatchObject({ isGuarded: false })
  })
})

test.each([
  "toolsum guard",
  "toolsum guard --",
  "toolsum guard a b",
  "toolsum guard notes -- npx notes",
  "toolsum guard --to https://x.example/ -- npx notes",
  "toolsum guard --to https://x.example/ --to https://y.example/",
  "toolsum guard --fail-open -- npx notes",
  "toolsum guard --once=yes -- npx notes",
  "toolsum guard --mode",
  "toolsum guard --mode -- notes", // the server notes, or the mode -- and the pin notes
  "toolsum guard --lock other.json notes",
])("%s is a guard that starts what cannot be told", (text) => {
  expect(unwrap(text)).toEqual({ isGuarded: true, problem: expect.stringMatching(/^expected a toolsum guard with/) })
})

test("wrapping and unwrapping are inverses", () => {
  const words = fc.array(fc.string(), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(words, ([command = "", ...args]) => {
      const wrapped = {
        command: "npx",
        args: ["-y", "toolsum@1.2.3", "guard", "--mode", "block", "--", command, ...args],
      }
      expect(unwrapGuard({ ...wrapped, env: [] })).toEqual({ isGuarded: true, command, args })
    }),
  )
})
