// The client that the official suite tests: `toolsum verify-server URL`, as a user runs it. The suite appends the URL of its server and names
// the scenario; toolsum opens no browser, so that where a token is wanted it asks for one as a client that was registered beforehand. Exits 0
// whatever comes out: CONFORMANCE_RESULT names a file for the verdict, which the tests look at.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { openRelay } from "./relay.mjs"

const BIN = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url))
const { MCP_CONFORMANCE_SCENARIO: scenario = "", MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env
const { MCP_CONFORMANCE_PROTOCOL_VERSION: revision, CONFORMANCE_RESULT: result = "" } = process.env
const [url = ""] = process.argv.slice(-1)

/** Client id and secret that go with any token; the suite's own where it gives some. */
const { client_id: id = "registered-before", client_secret: secret = "known-before", issuer = "" } = JSON.parse(context)
const CREDENTIALS = { TOKEN_CLIENT_ID: id, TOKEN_CLIENT_SECRET: secret, TOKEN_ISSUER: issuer }
const AUTH = ["--client-credentials", "TOKEN", "--header", "Authorization: Bearer ${TOKEN}"]

const folder = mkdtempSync(join(tmpdir(), "toolsum-conformance-"))
try {
  if (scenario === "sse-retry") await verifyByCall()
  else await verify(url)
  if (scenario === "json-schema-2020-12-preservation") await echoSchema()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Read the server at `place`; what was read is left in the folder as evidence. */
async function verify(place) {
  const options = ["--json", "--resources", "--save", join(folder, "evidence.json")]
  const line = [BIN, "verify-server", place, ...options, ...(scenario.startsWith("auth/") ? AUTH : [])]
  const env = { ...process.env, ...CREDENTIALS, TOOLSUM_HOME: join(folder, "home") }
  const child = spawn(process.execPath, line, { env, stdio: ["ignore", "pipe", "inherit"] })
  const chunks = []
  for await (const chunk of child.stdout) chunks.push(chunk)
  const [{ verdict, reason, detail }] = JSON.parse(Buffer.concat(chunks).toString()).servers
  writeFileSync(result, JSON.stringify({ verdict, reason, detail }))
}

/** The suite breaks the stream of a call off, and toolsum calls nothing: on the way its question for tools becomes a call. */
async function verifyByCall() {
  const relay = await openRelay(url, { from: "tools/list", to: "tools/call", params: { name: "test_reconnection" } })
  try {
    await verify(relay.url)
  } finally {
    await relay.close()
  }
}

/** Give the suite back the schema as toolsum read it, by its own SDK: toolsum itself calls nothing. */
async function echoSchema() {
  const { tools } = JSON.parse(readFileSync(join(folder, "evidence.json"), "utf8")).reading.surface
  const { inputSchema: schema } = tools.find(({ name }) => name === "json_schema_2020_12_tool")
  const versionNegotiation = { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" }
  const client = new Client({ name: "echo", version: "0.0.0" }, { versionNegotiation })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  await client.callTool({ name: "json_schema_echo", arguments: { schema } })
  await client.close()
}
