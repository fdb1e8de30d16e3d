// `verify-server` on a local stdio server whose list a local log has signed, beside what the official SDK takes for the same server by
// itself (connect.mjs): whole processes, wall time, since both wait for the server to start and to end.
import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { measureProcesses, median, medianRatio } from "./processes.mjs"

const SERVER = fileURLToPath(new URL("../test/fixtures/servers/listed.mjs", import.meta.url))
const CONNECT = fileURLToPath(new URL("./connect.mjs", import.meta.url))

/** Of a usual size. */
const TOOLS = Array.from({ length: 10 }, (_, i) => ({
  name: `tool_${i}`,
  description: `Tool ${i} reads a list of matching items from the given repository and returns them. `.repeat(3).trim(),
  inputSchema: { type: "object", properties: { query: { type: "string", description: "What to look for" } } },
}))

/** Record the server in a log below `folder`, which is new. `toolsum`: words that start the command. Returns what is measured. */
export function prepareVerifyServer({ folder, toolsum, env }) {
  mkdirSync(folder, { recursive: true })
  const [lists, log] = [join(folder, "lists.json"), join(folder, "log")]
  writeFileSync(lists, JSON.stringify({ tools: TOOLS }))
  const server = ["node", SERVER, lists]
  const [command, ...words] = toolsum
  const run = (...argv) => execFileSync(command, [...words, ...argv], { cwd: folder, env, stdio: "ignore" })
  run("init", "--log-dir", log)
  run("add", "bench", "--log-dir", log, "--by", "bench", "--", ...server)
  const ours = [...toolsum, "verify-server", "--subject", "local:bench", "--log", log, "--", ...server]
  return { folder, env, commands: { ours, sdk: ["node", CONNECT, ...server] } }
}

/** The figures, in the form of ../shared/bench: the line of the SDK has the ratio of ours to it. */
export function takeVerifyServer({ folder, env, commands }) {
  const { ours, sdk } = measureProcesses(commands, { clock: "wall", cwd: folder, env })
  const ratioWall = Number(medianRatio(ours, sdk).toFixed(3))
  return [
    { name: "verify-server", impl: "ours", wall: median(ours) * 1e6 },
    { name: "verify-server", impl: "SDK: connect + listTools", wall: median(sdk) * 1e6, ratioWall },
  ]
}
