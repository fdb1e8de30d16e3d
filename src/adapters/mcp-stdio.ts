// Reads a server that is started as a command and speaks MCP over stdio (DESIGN 4, 9 and 10): one process per reading, gone
// afterwards with all that it started, whatever happens. No value of a named variable gets into a message.
import { resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import type { CommandTarget } from "../core/target.js"
import { expandTemplate, listTemplateNames } from "../core/template.js"
import type { ReadRequest, ServerReading, ToolSource } from "../ports.js"
import { readSurface } from "./mcp-reading.js"
import { Recorder } from "./mcp-recorder.js"
import { openSession } from "./mcp-session.js"
import { computeEnvironment, type Values, variableValue } from "./mcp-stdio-environment.js"
import { StdioTransport } from "./mcp-stdio-transport.js"
import { createRedactor } from "./redact-values.js"
import { type ResolvedPackage, resolvePackage } from "./resolve-package.js"

/** What to start. `cwd`: absolute folder that the target's own `cwd` is relative to. `environment`: values of variables, usually
 *  those of this process. `placeholders`: names that get a dummy text. `clientVersion`: version of this package. */
export interface StdioSourceOptions extends Values {
  readonly target: CommandTarget
  readonly cwd: string
  readonly clientVersion: string
}

/** A server behind a command. `read` throws SERVER_AUTH (`missing: NAME`), SERVER_UNREACHABLE, TIMEOUT, PROTOCOL_MALFORMED or
 *  READING_INCOMPLETE; where the server wrote to stderr, the error's `evidence.stderr` has the end of it. */
export const createStdioToolSource = (options: StdioSourceOptions): ToolSource => ({
  read: (request) => readStdio(options, request),
})

async function readStdio(options: StdioSourceOptions, request: ReadRequest): Promise<ServerReading> {
  const { target, clientVersion } = options
  const cwd = resolve(options.cwd, target.cwd ?? ".")
  const env = computeEnvironment(target.env, options)
  const args = target.args.map((arg) => expandArgument(arg, options))
  const { maxMessageBytes } = request.limits
  const redact = createRedactor(target, options.environment)
  const recorder = new Recorder(maxMessageBytes, redact)
  const transport = new StdioTransport({ command: target.command, args, cwd, env, recorder, maxMessageBytes })
  const explain = (error: ToolsumError) => withStderr(error, redact(transport.stderrTail))
  try {
    const failure = () => transport.failure && explain(transport.failure)
    const opening = await openSession({ era: "handshake", transport, recorder, failure, clientVersion, request })
    if ("error" in opening) throw opening.error
    const reading = await readSurface(opening.session, request)
    const found = resolvePackage({ target, cwd, environment: env, commandLines: transport.commandLines() })
    return { ...reading, ...describe(reading.protocol, found) }
  } catch (error) {
    throw error instanceof ToolsumError ? explain(error) : error
  } finally {
    await transport.close()
  }
}

function expandArgument(arg: string, values: Values): string {
  const names = listTemplateNames(arg)
  return expandTemplate(arg, Object.fromEntries(names.map((name) => [name, variableValue(name, values)])))
}

/** The circumstances for the lockfile, and the package that was started. */
function describe(protocol: string, found: ResolvedPackage): Pick<ServerReading, "read" | "resolved"> {
  const { version, integrity, dependencies } = found
  const read = { platform: process.platform, node: process.versions.node, protocol }
  return {
    read: { ...read, ...(dependencies === null ? {} : { dependencies }), ...(integrity === null ? {} : { integrity }) },
    resolved: { version, integrity },
  }
}

/** The same error with what the server wrote to stderr: its last line in the message, the end of it as evidence. */
function withStderr(error: ToolsumError, stderr: string): ToolsumError {
  const last = stderr.trimEnd().split("\n").at(-1)?.trim()
  if (!last || error.evidence) return error
  const message = `${error.message}; last on stderr: ${quote(last, 200)}`
  return new ToolsumError(error.code, message, { cause: error.cause, evidence: { stderr } })
}
