// Client configurations of a project: which servers they start. Read as JSON with comments; values of variables are dropped at once,
// only their names stay. Today `.mcp.json`; the other clients' files join the table when they are read.
import { join } from "node:path"
import type { ParseError } from "jsonc-parser"
import { decodeUtf8 } from "../../core/bytes.js"
import { ToolsumError } from "../../core/errors.js"
import type { Target } from "../../core/target.js"
import type { ClientConfig, ConfiguredServer } from "../../ports.js"
import { quotePath, readRegularFile } from "../regular-file.js"

const MAX_CONFIG_BYTES = 4 * 1024 * 1024

const FILES: readonly { readonly file: string; readonly key: string }[] = [{ file: ".mcp.json", key: "mcpServers" }]

/** Where to look. */
export interface ConfigPlaces {
  /** The project's folder, absolute. */
  readonly project: string
  /** The user's home, absolute; null: the project's own files only. */
  readonly home: string | null
  readonly platform: NodeJS.Platform
  readonly env: Readonly<Record<string, string | undefined>>
}

/** The client configurations that are there. A file that cannot be read has `problem`, and so has an entry of a file; neither hides
 *  the others. Starts and contacts nothing. */
export async function readClientConfigs({ project }: ConfigPlaces): Promise<readonly ClientConfig[]> {
  const found: ClientConfig[] = []
  for (const { file, key } of FILES) {
    const path = join(project, file)
    const bytes = readRegularFile(path, { maxBytes: MAX_CONFIG_BYTES, code: "CONFIG_INVALID" })
    if (bytes === null) continue
    const bad = (why: string) => new ToolsumError("CONFIG_INVALID", `${quotePath(path)}: ${why}`)
    const servers = await parseConfig(decodeUtf8(bytes, bad), key, bad)
    found.push({ file, path, client: "claude-code", scope: "project", servers, problem: null })
  }
  return found
}

type Bad = (why: string) => ToolsumError
type Members = Readonly<Record<string, unknown>>

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

async function parseConfig(text: string, key: string, bad: Bad): Promise<readonly ConfiguredServer[]> {
  const document = await readDocument(text.replace(/^\ufeff/, ""), bad)
  const servers = isMembers(document) ? (document[key] ?? {}) : null
  if (!isMembers(servers)) throw bad(`expected an object with ${key}`)
  return Object.entries(servers).map(([name, server]) => {
    const target = readTarget(server, name, bad)
    return { name, target, problem: null, literals: [], isGuarded: false, isDisabled: false }
  })
}

/** JSON, or JSON with comments: what reads those is loaded only for a file that has some. */
async function readDocument(text: string, bad: Bad): Promise<unknown> {
  try {
    return JSON.parse(text)
  } catch {
    const { parse, printParseErrorCode } = await import("jsonc-parser")
    const errors: ParseError[] = []
    const document: unknown = parse(text, errors, { allowTrailingComma: true })
    const [first] = errors
    if (!first) return document
    throw bad(`expected JSON (comments allowed): ${printParseErrorCode(first.error)} at character ${first.offset}`)
  }
}

function readTarget(server: unknown, name: string, bad: Bad): Target {
  if (!isMembers(server)) throw bad(`expected ${key(name)} to be an object`)
  const { command, args = [], env = {}, cwd, url, headers = {} } = server
  if (typeof url === "string") {
    if (!isMembers(headers)) throw bad(`expected the headers of ${key(name)} to be an object`)
    return {
      url,
      headers: Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, String(value)])),
    }
  }
  if (typeof command !== "string") throw bad(`expected ${key(name)} to have a command or a url`)
  if (!Array.isArray(args) || !args.every((arg): arg is string => typeof arg === "string"))
    throw bad(`expected the args of ${key(name)} to be texts`)
  if (!isMembers(env)) throw bad(`expected the env of ${key(name)} to be an object`)
  return { command, args, env: Object.keys(env).sort(), ...(typeof cwd === "string" ? { cwd } : {}) }
}

const key = (name: string): string => JSON.stringify(name)
