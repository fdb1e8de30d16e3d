// Writes the rules into RULES.md, from the rules of the built package. Run: npm run build && node scripts/rules-table.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const START = "<!-- rules: written by scripts/rules-table.mjs -->"
const END = "<!-- end of the rules -->"

/** The rules as Markdown, a table for each group: the part of an id before its first full stop; those that stand alone come last. */
export function renderRules(rules) {
  const groups = new Map()
  for (const [id, rule] of Object.entries(rules).sort(byId)) {
    const group = id.split(".")[0]
    groups.set(group, [...(groups.get(group) ?? []), [id, rule]])
  }
  const alone = [...groups.values()].filter((own) => own.length === 1).flat()
  const named = [...groups].filter(([, own]) => own.length > 1)
  return [...named, ["others", alone]].map(([group, own]) => renderGroup(group, own)).join("\n")
}

const byId = ([a], [b]) => (a < b ? -1 : 1)

function renderGroup(group, rules) {
  const rows = rules.map(([id, { severity, title, help }]) =>
    row([`\`${id}\``, severity, escapeCell(`${title}. ${help}`)]),
  )
  return [
    `### ${group}`,
    "",
    row(["rule", "at most", "what it looks for"]),
    row(["---", "---", "---"]),
    ...rows,
    "",
  ].join("\n")
}

const row = (cells) => `| ${cells.join(" | ")} |`
const escapeCell = (text) => text.replaceAll("|", "\\|").replaceAll("<", "&lt;")

/** RULES.md with these rules in place of those it has. */
export function placeRules(text, rules) {
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`expected ${START} and ${END}`)
  return `${text.slice(0, start + START.length)}\n\n${renderRules(rules)}\n${text.slice(end)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { RULES } = await import(new URL("../dist/surface/rules.js", import.meta.url))
  const file = fileURLToPath(new URL("../RULES.md", import.meta.url))
  writeFileSync(file, placeRules(readFileSync(file, "utf8"), RULES))
}
