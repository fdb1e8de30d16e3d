// `verify` beside client configurations, down to files: what it finds in the project's, and that it looks at no others.
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { makePinnedWorld } from "../fakes/cli-world.js"

const SECRET = "hunter22-sentinel"

async function makeConfiguredWorld() {
  const { world, server } = await makePinnedWorld()
  const [command, ...args] = server.launch
  return { world, entry: { command, args } }
}

test("every file of the project counts, and one that cannot be read hides none of the answers", async () => {
  const { world, entry } = await makeConfiguredWorld()
  await mkdir(join(world.folder, ".cursor"))
  await mkdir(join(world.folder, ".codex"))
  await world.write(
    ".mcp.json",
    JSON.stringify({ mcpServers: { notes: entry, unread: { command: "x", args: ["--token", SECRET] } } }),
  )
  await world.write(
    ".cursor/mcp.json",
    JSON.stringify({ mcpServers: { notes: entry, other: { url: "https://x.example/" } } }),
  )
  await world.write(".codex/config.toml", '[mcp_servers.off]\ncommand = "x"\nenabled = false\n')
  await world.write("opencode.json", `{ "mcp": { "a": "${SECRET}"`)
  const { code, document, stderr } = await world.json("verify")
  expect(code).toBe(2)
  expect(document).toMatchObject({
    exitCode: 2,
    servers: [
      { name: "notes", verdict: "PROVEN" },
      { name: "unread", verdict: "UNKNOWN", reason: "malformed" },
      { name: "other", verdict: "UNKNOWN", reason: "not_pinned" },
    ],
    warnings: ["switched_off:off in .codex/config.toml"],
    failedFiles: [{ file: "opencode.json", error: { code: "CONFIG_INVALID", kind: "usage" } }],
  })
  const { stdout, stderr: errors } = await world.expect(2, "verify")
  expect(stdout).toContain("3 servers: 1 PROVEN, 2 UNKNOWN")
  expect(errors).toContain("off in .codex/config.toml is switched off there")
  expect(errors).toMatch(/^toolsum: opencode\.json: .* \(CONFIG_INVALID\)$/m)
  expect(JSON.stringify(document) + stderr + stdout + errors).not.toContain("hunter")
})

test("a changed launch line in any of them beats a file that cannot be read", async () => {
  const { world, entry } = await makeConfiguredWorld()
  await mkdir(join(world.folder, ".codex"))
  await world.write(".mcp.json", JSON.stringify({ mcpServers: { notes: entry } }))
  await world.write(".codex/config.toml", '[mcp_servers.notes]\ncommand = "node"\nargs = ["evil.mjs"]\n')
  await world.write("opencode.json", "{")
  const { stdout } = await world.expect(1, "verify")
  expect(stdout).toContain(".codex/config.toml")
  await world.expect(0, "verify", "--no-config")
})

test("a line behind our guard is the pinned one", async () => {
  const { world, entry } = await makeConfiguredWorld()
  const guarded = { command: "npx", args: ["-y", "toolsum", "guard", "--", entry.command, ...entry.args] }
  await world.write(".mcp.json", JSON.stringify({ mcpServers: { notes: guarded } }))
  await world.expect(0, "verify")
})

test("files of the user are not looked at", async () => {
  const { world } = await makeConfiguredWorld()
  const home = world.env.HOME ?? ""
  await mkdir(join(home, ".cursor"), { recursive: true })
  await writeFile(join(home, ".cursor", "mcp.json"), JSON.stringify({ mcpServers: { mine: { command: "x" } } }))
  await writeFile(join(home, ".claude.json"), "{")
  const { stdout, stderr } = await world.expect(0, "verify")
  expect(stdout + stderr).not.toMatch(/mine|claude/)
})
