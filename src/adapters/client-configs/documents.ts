// Text of a configuration to a plain value: JSON, JSON with comments, TOML, YAML. What reads the last three is loaded only for a file that
// needs it. A name that stands twice in one object is refused; no message repeats what the file holds, for it may be a credential.
import { decodeUtf8 } from "../../core/bytes.js"
import type { Bad } from "../../core/errors.js"
import { MAX_JSON_DEPTH, parseJson } from "../../core/json.js"

/** How a file is written, by the ending of its name. */
export type DocumentFormat = "json" | "jsonc" | "toml" | "yaml" | "yml"

/** The format that the ending of a path stands for. Pure. */
export function formatOf(path: string): DocumentFormat {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase()
  return ending === "toml" || ending === "yaml" || ending === "yml" || ending === "jsonc" ? ending : "json"
}

/** Longest documents whose readers take time or memory out of proportion, in bytes: 10 MiB of YAML is 4 GB, names in it take the square
 *  of their number. */
const MAX_YAML_BYTES = 128 * 1024
const MAX_BYTES: Readonly<Partial<Record<DocumentFormat, number>>> = {
  toml: 1024 * 1024,
  yaml: MAX_YAML_BYTES,
  yml: MAX_YAML_BYTES,
}

/** Read a document. An empty one is an empty object: several clients begin with an empty file. Throws what `bad` makes, with line and
 *  column where the format's reader tells them. */
export async function readDocument(bytes: Uint8Array, format: DocumentFormat, bad: Bad): Promise<unknown> {
  const maxBytes = MAX_BYTES[format]
  if (maxBytes !== undefined && bytes.length > maxBytes) throw bad(`expected at most ${maxBytes} bytes`)
  const text = decodeUtf8(bytes, bad).replace(/^\ufeff/, "")
  if (text.trim() === "") return {}
  if (format === "toml") return readToml(text, bad)
  if (format === "yaml" || format === "yml") return readYaml(text, bad)
  return readJson(text, bad)
}

async function readJson(text: string, bad: Bad): Promise<unknown> {
  try {
    return parseJson(text)
  } catch {
    const { toStrictJson } = await import("./strict-json.js")
    const strict = toStrictJson(text, bad)
    try {
      return parseJson(strict)
    } catch (error) {
      throw bad(`expected JSON (comments allowed): ${messageOf(error)}`)
    }
  }
}

// Strings are sound when this is shown (strict-json.ts), so that it names at most one character or the name of a member.
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

async function readToml(text: string, bad: Bad): Promise<unknown> {
  const { parse, TomlError } = await import("smol-toml")
  try {
    return parse(text, { integersAsBigInt: true, maxDepth: MAX_JSON_DEPTH })
  } catch (error) {
    // Its message quotes the lines around.
    throw bad(
      error instanceof TomlError ? `expected TOML: line ${error.line}, column ${error.column}` : "expected TOML",
    )
  }
}

async function readYaml(text: string, bad: Bad): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml")
  const lines = new LineCounter()
  try {
    // Its warnings would go to stderr by themselves, with what stands in the file.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" })
    const [error] = document.errors
    if (error === undefined) return checkValues(document.toJS(), bad)
    const { line, col } = lines.linePos(error.pos[0])
    throw bad(`expected YAML: ${error.code} at line ${line}, column ${col}`)
  } catch (error) {
    // Anything else: too many aliases, or nested too deeply for the reader.
    throw error instanceof RangeError || error instanceof ReferenceError
      ? bad("expected YAML without deep nesting")
      : error
  }
}

const LONE_SURROGATE = /[\ud800-\udfff]/u

/** Refuse what an escape or an alias of YAML makes and no JSON could hold. Each value once a level: an alias puts one in many places, or
 *  into itself. */
function checkValues(document: unknown, bad: Bad): unknown {
  let level: ReadonlySet<unknown> = new Set([document])
  for (let depth = 0; level.size > 0; depth++) {
    if (depth > MAX_JSON_DEPTH) throw bad(`expected at most ${MAX_JSON_DEPTH} nested lists and objects`)
    const values = [...level]
    if (values.some((value) => typeof value === "string" && LONE_SURROGATE.test(value)))
      throw bad("expected well-formed text, got a lone surrogate")
    level = new Set(values.flatMap(partsOf))
  }
  return document
}

const partsOf = (value: unknown): readonly unknown[] =>
  typeof value === "object" && value !== null ? Object.entries(value).flat() : []
