// What the official SDK's client takes by itself for one server over stdio: connect, list the tools, close. Usage: connect.mjs COMMAND…
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"

const [command, ...args] = process.argv.slice(2)
const client = new Client({ name: "bench", version: "1.0.0" })
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }))
const { tools } = await client.listTools()
await client.close()
if (tools.length === 0) throw new Error("the server lists no tools")
