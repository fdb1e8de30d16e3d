// Reads a server that is started as a command and speaks MCP over stdio (DESIGN 4, 9 and 10): a process per era of the protocol that is
// tried, gone afterwards with all that it started, whatever happens. No value of a named variable gets into a message.
import { resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import type { CommandTarget } from "../core/target.js"
import { expandTemplate, listTemplateNames } from "../core/template.js"
import type { ReadRequest, ServerReading, ToolSource } from "../ports.js"
import { authErrorOfStderr } from "./auth-signs.js"
import { startChild } from "./child-process.js"
import { type Era, eraOf } from "./mcp-eras.js"
import { readSurface } from "./mcp-reading.js"
import { Recorder } from "./mcp-recorder.js"
import { openSession } from "./mcp-session.js"
import { computeEnvironment, type Values, variableValue } from "./mcp-stdio-environment.js"
import { type StartChild, StdioTransport } from "./mcp-stdio-transport.js"
import { createRedactor, type Redact, redactError, redactReading } from "./redact-values.js"
import { type ResolvedPackage, resolvePackage } from "./resolve-package.js"

/** What to start. `cwd`: absolute folder that the target's own `cwd` is relative to. `environment`: values of variables, usually
 *  those of this process. `placeholders`: names that get a dummy text. `clientVersion`: version of this package. */
export interface StdioSourceOptions extends Values {
  readonly target: CommandTarget
  readonly cwd: string
  readonly clientVersion: string
}

/** A server behind a command. `read` throws SERVER_AUTH (`missing: NAME`, `refused`, `insufficient_scope`), SERVER_UNREACHABLE, TIMEOUT,
 *  PROTOCOL_MALFORMED or READING_INCOMPLETE; where the server wrote to stderr, the error's `evidence.stderr` has the end of it. */
export const createStdioToolSource = (options: StdioSourceOptions, start: StartChild = startChild): ToolSource => ({
  read: (request) => readStdio(options, request, start),
})

/** All that a start of the server takes. */
interface Launch {
  readonly options: StdioSourceOptions
  readonly request: ReadRequest
  readonly start: StartChild
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly args: readonly string[]
  readonly redact: Redact
}

/** A reading, or why there is none and whether a fresh process may know better when it is asked in the other era. */
type Attempt = { readonly reading: ServerReading } | { readonly error: ToolsumError; readonly otherEra: boolean }

/** Try the era of the wanted revision, else the handshake: it does no harm, whereas many servers of that era end at the sight of any other
 *  request. Then the other one, on a process of its own. When both fail the first error is the one that tells. */
async function readStdio(options: StdioSourceOptions, request: ReadRequest, start: StartChild): Promise<ServerReading> {
  const { target } = options
  const launch: Launch = {
    options,
    request,
    start,
    cwd: resolve(options.cwd, target.cwd ?? "."),
    env: computeEnvironment(target.env, options),
    args: target.args.map((arg) => expandArgument(arg, options)),
    redact: createRedactor(target, options.environment),
  }
  const era = eraOf(request.protocol) ?? "handshake"
  const first = await attempt(era, launch)
  if ("reading" in first) return first.reading
  if (!first.otherEra) throw first.error
  const second = await attempt(era === "modern" ? "handshake" : "modern", launch)
  if ("reading" in second) return second.reading
  throw second.error.code === "SERVER_AUTH" ? second.error : first.error
}

/** Start the server, read it in one era, end it. Throws what ends a reading of an open session. */
async function attempt(era: Era, launch: Launch): Promise<Attempt> {
  const { options, request, start, cwd, env, args, redact } = launch
  const { target, clientVersion } = options
  const { maxMessageBytes } = request.limits
  const recorder = new Recorder(maxMessageBytes, redact)
  const transport = new StdioTransport({ command: target.command, args, cwd, env, recorder, maxMessageBytes }, start)
  const failure = () => transport.failure && withStderr(transport.failure, redact(transport.stderrTail))
  if (!request.signal?.aborted) transport.startAhead()
  try {
    const opening = await openSession({ era, transport, recorder, failure, clientVersion, request })
    if ("error" in opening)
      return explainOpening(era, { ...opening, error: redactError(opening.error, redact) }, transport, redact)
    const reading = await readSurface(opening.session, request)
    const found = resolvePackage({ target, cwd, environment: env, commandLines: transport.commandLines() })
    return { reading: redactReading({ ...reading, ...describe(reading.protocol, found) }, redact) }
  } catch (error) {
    throw error instanceof ToolsumError ? withStderr(redactError(error, redact), redact(transport.stderrTail)) : error
  } finally {
    await transport.close()
  }
}

/** A process that is gone this soon may have ended at the sight of a request that it does not know. */
const MAX_QUICK_EXIT_MS = 10_000

/** Why no session was opened, and whether the other era is worth a fresh process. */
function explainOpening(
  era: Era,
  { error, otherEra }: { readonly error: ToolsumError; readonly otherEra: boolean },
  transport: StdioTransport,
  redact: Redact,
): Attempt {
  const stderr = redact(transport.stderrTail)
  const { exitedAfterMs } = transport
  const auth = error.code === "SERVER_UNREACHABLE" && exitedAfterMs !== null ? authErrorOfStderr(stderr) : null
  if (auth) {
    const evidence = { ...auth.evidence, stderr }
    return { error: new ToolsumError("SERVER_AUTH", auth.message, { cause: error, evidence }), otherEra: false }
  }
  const isQuick = exitedAfterMs !== null && exitedAfterMs < MAX_QUICK_EXIT_MS
  // Silence is an answer too on a pipe: servers of the handshake's era may ignore what comes before it.
  const isSilent = era === "modern" && error.code === "TIMEOUT"
  const isGone = error.code === "SERVER_UNREACHABLE" && isQuick
  return { error: withStderr(error, stderr), otherEra: otherEra || isGone || isSilent }
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
  if (!last || error.evidence || error.code === "SERVER_AUTH") return error
  const message = `${error.message}; last on stderr: ${quote(last, 200)}`
  return new ToolsumError(error.code, message, { cause: error.cause, evidence: { stderr } })
}
