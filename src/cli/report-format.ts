// In which form a report goes where: text, a JSON document, or one of the files that other tools and people read. The renderers load only for
// their own format.
import { resolve } from "node:path"
import { quote, ToolsumError } from "../core/errors.js"
import { MAX_JSON_BYTES } from "../core/json.js"
import type { Report } from "../features/report/model.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"
import { type OutputKind, requireOutputPlace, writeOutput } from "./output-file.js"
import { type Document, printDocument } from "./report-json.js"

/** Formats that are rendered from a `Report`. `pattern`: what every such file has in it, so that only an older one makes room. */
const RENDERED = {
  sarif: {
    pattern: /"version"\s*:\s*"2\.1\.0"/,
    load: async () => (await import("../features/report/sarif.js")).renderSarif,
  },
  markdown: {
    pattern: /<!-- toolsum:/,
    load: async () => (await import("../features/report/markdown.js")).renderMarkdown,
  },
  html: {
    pattern: /<title>toolsum /,
    load: async () => (await import("../features/report/html.js")).renderHtml,
  },
  github: {
    pattern: /^::(?:error|warning|notice)/,
    load: async () => (await import("../features/report/annotations.js")).renderAnnotations,
  },
} as const satisfies Readonly<Record<string, { pattern: RegExp; load: () => Promise<(report: Report) => string> }>>

/** One of them. */
export type Rendered = keyof typeof RENDERED

/** Every format. */
export type Format = "text" | "json" | Rendered

const FORMATS: readonly Format[] = ["text", "json", ...(Object.keys(RENDERED) as Rendered[])] // its own keys

/** Options of commands that report in several formats. */
export const FORMAT_OPTIONS: readonly OptionSpec[] = [
  ["--format <name>", `${FORMATS.join("|")}; github are annotations for a workflow run`],
  ["--output <file>", "Write the report there instead of to stdout; replaces an older report only"],
]

/** The format that was asked for. Throws USAGE for an unknown one, for two, and for a file of text. */
export function readFormat(options: Options, otherwise: Format = "text"): Format {
  const text = options.value("format")
  const format = text === null ? (options.flag("json") ? "json" : otherwise) : FORMATS.find((name) => name === text)
  if (format === undefined)
    throw new ToolsumError("USAGE", `--format: expected one of ${FORMATS.join(", ")}, got ${quote(text ?? "")}`)
  if (options.flag("json") && format !== "json")
    throw new ToolsumError("USAGE", `expected one of --json and --format ${format}`)
  if (options.value("output") !== null && format === "text")
    throw new ToolsumError("USAGE", "--output goes with another --format than text")
  return format
}

/** Refuse a place for the file, before anything is read or started. Throws FILE_EXISTS, IO_FAILED. */
export function requireReportPlace(format: Format, options: Options, io: Io): void {
  const file = options.value("output")
  if (file !== null) requireOutputPlace(resolve(io.cwd, file), kindOf(format))
}

/** Render a report in a format that is neither text nor JSON. */
export const renderReportAs = async (format: Rendered, report: Report): Promise<string> =>
  (await RENDERED[format].load())(report)

/** True for a format that is rendered from a `Report`. */
export const isRendered = (format: Format): format is Rendered => format !== "text" && format !== "json"

/** Print a report, or write it where it was asked to be. */
export async function putReport(text: string, format: Format, options: Options, io: Io): Promise<void> {
  const file = options.value("output")
  if (file === null) io.stdout(text)
  else await writeOutput(resolve(io.cwd, file), text, kindOf(format))
}

/** Print a document, or write it where it was asked to be. */
export async function putDocument(document: Document, options: Options, io: Io): Promise<void> {
  const parts: string[] = []
  printDocument({ stdout: (part) => void parts.push(part) }, document)
  await putReport(parts.join(""), "json", options, io)
}

const kindOf = (format: Format): OutputKind => ({
  name: `${format} report`,
  pattern: format === "text" || format === "json" ? /"schemaVersion"\s*:\s*1/ : RENDERED[format].pattern,
  maxBytes: MAX_JSON_BYTES,
})
