// Whatever others wrote (lockfile, log, client configuration, server, file names), no output has a hidden or control character, nothing
// starts a line of its own, and a line to paste runs only our command.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { pasteLine } from "../../src/cli/shell-words.js"
import { isOrigin } from "../../src/core/checkpoint.js"
import { escapeInvisible } from "../../src/core/errors.js"
import { type CliWorld, makeCliWorld, makePinnedWorld, makeServer, type Outcome, tool } from "../fakes/cli-world.js"

const FRAGMENTS = [
  ..."\u0007\b\t\n\r\u007f\u0085\u009b\u00ad\u200b\u202e\u2066\u2028\ufeff\u{e0041}\u3164",
  "\u001b[2J",
  "\u001b]0;title\u0007",
  "\u0301".repeat(9),
  "\nSPOOF  PROVEN  x\n",
  "\\u000aSPOOF",
  "\r\nSPOOF",
  "; touch HACKED;#",
  "$(touch HACKED)",
  "'`\"|&",
  "a",
  "é",
  " ",
] as const
const arbText = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""))

/** Everything printed is visible, apart from line feeds and our own colours, and no line begins with somebody else's words. */
function expectHarmless({ stdout, stderr }: Omit<Outcome, "code">): void {
  for (const text of [stdout, stderr]) {
    const plain = text.replace(/\u001b\[\d\d?m/g, "")
    for (const line of plain.split("\n")) expect(line).toBe(escapeInvisible(line))
    expect(plain).not.toMatch(/^SPOOF/m)
  }
}

/** Run with colour and hold all that is printed to that; with --json too. */
async function runAll(world: CliWorld, ...lines: readonly (readonly string[])[]): Promise<void> {
  const { main } = await import("../../src/cli/main.js")
  for (const argv of lines)
    for (const more of [[], ["--json"]]) {
      const { io, out } = world.io({ colour: true })
      const cut = argv.indexOf("--") < 0 ? argv.length : argv.indexOf("--")
      await main([...argv.slice(0, cut), ...more, ...argv.slice(cut)], io)
      expectHarmless(out)
      expect(out.stderr).not.toContain("internal error")
    }
}

const ROOT = `SHA256:${"A".repeat(43)}`

test("no command prints a hidden character that somebody else wrote", async () => {
  const { world } = await makePinnedWorld()
  const lock = await world.readLock()
  const [origin = ""] = Object.keys(lock.logs)
  await fc.assert(
    fc.asyncProperty(arbText, async (text) => {
      const hostile = structuredClone(lock)
      Object.assign(hostile.servers.notes.approved, { by: text, reason: text })
      hostile.servers.notes.from = [{ file: text, name: text }]
      const name = text.replace(/[\0-\x1f\x7f]/g, "")
      if (isOrigin(name)) hostile.logs[name] = hostile.logs[origin]
      await writeFile(world.lockfile, JSON.stringify(hostile))
      await world.write(".mcp.json", JSON.stringify({ mcpServers: { [text]: { command: text, args: [text] } } }))
      const item = { ...tool("a", text), name: text, [text]: text }
      await world.write("a.json", JSON.stringify({ tools: [item, tool("b")], instructions: text }))
      await world.write("b.json", JSON.stringify({ tools: [tool("b", text)], instructions: `${text}x` }))
      await world.run("trust", "add", `log.example=${ROOT}`, "--from", text, "--log", text)
      await runAll(
        world,
        [],
        ["--lock", text],
        ["add", text],
        ["add", "notes", "--from", text],
        ["add", "--all"],
        ["add", "--all", "--accept-targets", "--dry-run"],
        ["verify", "--explain"],
        ["verify", text],
        ["verify", "--lock", text, "--lock", "toolsum.lock.json"],
        ["check", "--log-only", "--explain"],
        ["check", text],
        ["show"],
        ["show", text],
        ["diff", "a.json", "b.json"],
        ["diff", "a.json", text],
        ["trust", "list"],
        ["trust", "add", text],
        ["trust", "add", `${text}=${ROOT}`, "--dry-run"],
        ["trust", "remove", text],
        ["approve", text, "--to", `sha256:${"0".repeat(64)}`],
        ["rename", "notes", text],
        ["remove", text],
        ["log", "path", "--log-dir", text],
        ["log", "append", text],
        ["log", "cat", "0", "--log-dir", text],
        ["init", "--origin", name, "--log-dir", "../new", "--dry-run"],
        ["lock", "merge", "toolsum.lock.json", "toolsum.lock.json", "toolsum.lock.json", text],
        ["lock", "merge", text, text, text],
        ["help", text],
        [text],
        ["verify", `--${text}`],
        ["add", text, "--", text],
        ["add", "other", "--dry-run", "--", `no-such-command-${text}`],
      )
    }),
    { numRuns: 10 },
  )
}, 120_000)

test("what a server says, and what a log holds", async () => {
  const text = FRAGMENTS.join("a")
  const lists = { tools: [tool("search", text), { ...tool("b"), name: text }], instructions: text, prompts: [] }
  const { world, server } = await makePinnedWorld(lists)
  const changed = { ...lists, tools: [tool("search", `${text}!`), { ...tool("c"), name: `${text}.` }] }
  await runAll(world, ["add", "more", "--dry-run", "--", ...server.launch], ["show"], ["check"])
  server.say(changed)
  await runAll(world, ["check"], ["update", "notes", "--dry-run"], ["update", "notes"], ["verify"], ["check"])
  await runAll(world, ["observe", "notes", "--out", "seen.json", "--", ...server.launch])
  await runAll(world, ["log", "append", "seen.json"], ["log", "cat", "1"])
  server.say({ ...changed, fail: "json" })
  await runAll(world, ["check"])
})

describe("lines to paste", () => {
  /** A log whose name its owner chose, in a lockfile of somebody who trusts no root. */
  async function makeNamed(origin: string): Promise<{ world: CliWorld; out: string }> {
    const world = await makeCliWorld()
    const made = await world.run("init", `--origin=${origin}`, "--log-dir", "../log")
    expect(made.stderr).toBe("")
    const { launch } = makeServer(join(world.folder, "..", "lists.json"))
    await world.expect(0, "add", "notes", "--log-dir", "../log", "--", ...launch)
    world.env.TOOLSUM_HOME = join(world.home, "..", "stranger")
    const verify = await world.expect(2, "verify")
    return { world, out: made.stdout + verify.stdout + verify.stderr }
  }

  test.each(["x;touch${IFS}HACKED;#", "x'$(touch${IFS}HACKED)", "x\u009b\u202ey", "x&touch,HACKED", "--log"])(
    "%j is not put into one",
    async (origin) => {
      const { out } = await makeNamed(origin)
      expectHarmless({ stdout: out, stderr: "" })
      expect(out).not.toMatch(/toolsum (?:trust add|verify --root)/)
      expect(out).toContain("root_not_pinned")
    },
  )

  test("a plain name is", async () => {
    const { world, out } = await makeNamed("log.example.com/tools")
    const [, line = ""] = /then: toolsum (.*)\n/.exec(out) ?? []
    await world.expect(0, ...line.split(" "))
    await world.expect(0, "verify")
  })

  test.skipIf(process.platform === "win32")("no word gets more out of a shell than itself", async () => {
    const { folder } = await makeCliWorld()
    fc.assert(
      fc.property(fc.oneof(arbText, fc.string(), fc.string({ unit: "grapheme" })), (word) => {
        const line = pasteLine("echo", word)
        if (line === null) return
        const printed = execFileSync("sh", ["-c", line], { cwd: folder, encoding: "utf8" })
        expect(printed).toBe(`${word}\n`)
      }),
      { numRuns: 100 },
    )
    expect(existsSync(join(folder, "HACKED"))).toBe(false)
  })
})
