// `toolsum trust add|list`: the roots that the user trusts, kept outside every repository.
import { resolve } from "node:path"
import { ToolsumError } from "../../core/errors.js"
import { formatRootArgument, parseRootArgument } from "../../core/root.js"
import type { CommandSpec } from "../commands.js"
import { openTrustStore } from "../project.js"
import { printDocument } from "../report-json.js"

export const trustAddCommand: CommandSpec = {
  usage: "trust add [LOG=]SHA256:… [--log dir|url] [--from text]",
  words: [1, 1],
  options: [
    ["--log <place>", "Where the log is: an https URL or a folder"],
    ["--from <text>", "On whose word, for your own record"],
  ],
  run: async ({ words: [text = ""], options }, io) => {
    const log = options.value("log")
    if (log !== null && /^http:/i.test(log)) throw new ToolsumError("USAGE", "--log: expected an https URL or a folder")
    const place = log === null || /^https:/i.test(log) ? log : resolve(io.cwd, log)
    const root = parseRootArgument(text)
    const added = await openTrustStore(io).add({ root, log: place, from: options.value("from") ?? "trust add" })
    if (options.flag("json")) printDocument(io, { command: "trust add", exitCode: 0, root: text, added })
    else if (!options.flag("quiet")) io.stdout(`${text} ${added ? "is trusted from now on" : "was trusted before"}\n`)
    return 0
  },
}

export const trustListCommand: CommandSpec = {
  usage: "trust list",
  words: [0, 0],
  options: [],
  run: async ({ options }, io) => {
    const roots = await openTrustStore(io).list()
    if (options.flag("json")) {
      const rows = roots.map((root) => ({
        root: formatRootArgument(root),
        log: root.log,
        at: root.at,
        from: root.from,
      }))
      printDocument(io, { command: "trust list", exitCode: 0, roots: rows })
    } else {
      io.stdout(roots.length === 0 ? "no root is trusted yet: toolsum init, or toolsum trust add\n" : "")
      for (const root of roots)
        io.stdout(`${formatRootArgument(root)}\n    ${root.log ?? "no place"}, since ${root.at} (${root.from})\n`)
    }
    return 0
  },
}
