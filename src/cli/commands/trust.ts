// `toolsum trust add|list|remove`: the roots that the user trusts, kept outside every repository.
import { resolve } from "node:path"
import { isLoopbackHost } from "../../adapters/network-address.js"
import type { TrustedRoot } from "../../adapters/trust-fs.js"
import { escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import { formatRootArgument, parseRootArgument } from "../../core/root.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import type { Io } from "../io.js"
import { openTrustStore } from "../project.js"
import { printDocument } from "../report-json.js"

export const trustAddCommand: CommandSpec = {
  usage: "trust add [LOG=]SHA256:… [--log dir|url] [--from text]",
  words: [1, 1],
  options: [
    ["--log <place>", "Where the log is: an https URL or a folder"],
    ["--from <text>", "On whose word, for your own record"],
    ...DRY_RUN_OPTIONS,
  ],
  run: async ({ words: [text = ""], options }, io) => {
    const log = options.value("log")
    const place = log === null ? null : readPlace(log, io)
    const request = { root: parseRootArgument(text), log: place, from: options.value("from") ?? "trust add" }
    const dryRun = options.flag("dry-run")
    const added = await openTrustStore(io).add(request, { dryRun })
    const done = added ? (dryRun ? "would be trusted" : "is trusted from now on") : "was trusted before"
    if (options.flag("json"))
      printDocument(io, { command: "trust add", exitCode: 0, root: text, added, ...dryRunMember(options) })
    else if (!options.flag("quiet")) io.stdout(`${escapeInvisible(text)} ${done}\n`)
    return 0
  },
}

/** A place as it is stored: a URL, or an absolute folder. Throws USAGE for a URL without TLS to another machine. */
function readPlace(text: string, io: Io): string {
  const url = /^https?:/i.test(text) && URL.canParse(text) ? new URL(text) : null
  if (url?.protocol === "http:" && !isLoopbackHost(url.hostname))
    throw new ToolsumError("USAGE", "--log: expected an https URL, http to this machine, or a folder")
  return url === null ? resolve(io.cwd, text) : text
}

export const trustListCommand: CommandSpec = {
  usage: "trust list",
  words: [0, 0],
  options: [],
  run: async ({ options }, io) => {
    const roots = await openTrustStore(io).list()
    if (options.flag("json")) printDocument(io, { command: "trust list", exitCode: 0, roots: roots.map(rootMember) })
    else if (roots.length === 0) io.stdout("no root is trusted yet: toolsum init, or toolsum trust add\n")
    else io.stdout(roots.map(describeRoot).join(""))
    return 0
  },
}

export const trustRemoveCommand: CommandSpec = {
  usage: "trust remove LOG | [LOG=]SHA256:…",
  words: [1, 1],
  options: [...DRY_RUN_OPTIONS],
  run: async ({ words: [text = ""], options }, io) => {
    const dryRun = options.flag("dry-run")
    const removed = await openTrustStore(io).remove(isNamedBy(text), { dryRun })
    if (removed.length === 0)
      throw new ToolsumError("USAGE", `no root of ${quote(text)} is trusted; toolsum trust list shows all`)
    if (options.flag("json")) {
      const roots = removed.map(rootMember)
      printDocument(io, { command: "trust remove", exitCode: 0, roots, ...dryRunMember(options) })
    } else if (!options.flag("quiet")) {
      const done = dryRun ? "would not be trusted any more" : "is not trusted any more"
      io.stdout(removed.map((root) => `${escapeInvisible(formatRootArgument(root))} ${done}\n`).join(""))
    }
    return 0
  },
}

/** By a log's name, by a fingerprint under any name, or by both. */
function isNamedBy(text: string): (root: TrustedRoot) => boolean {
  if (!/[0-9a-f]{64}$|SHA256:/.test(text)) return (root) => root.name === text
  const { name, fingerprint } = parseRootArgument(text)
  return (root) => root.fingerprint === fingerprint && (name === null || root.name === name)
}

const rootMember = (root: TrustedRoot) => ({
  root: formatRootArgument(root),
  log: root.log,
  at: root.at,
  from: root.from,
})

function describeRoot(root: TrustedRoot): string {
  const about = `${root.log ?? "no place"}, since ${root.at} (${root.from})`
  return `${escapeInvisible(formatRootArgument(root))}\n    ${escapeInvisible(about)}\n`
}
