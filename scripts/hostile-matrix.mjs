// Writes the table of lies and commands into SECURITY.md, from what the matrix test holds the commands to (test/hostile/matrix.json).
// Run: node scripts/hostile-matrix.mjs
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const START = "<!-- hostile matrix: written by scripts/hostile-matrix.mjs -->"
const END = "<!-- end of the hostile matrix -->"

/** The table as Markdown. */
export function renderMatrix({ reasons, lies }) {
  const commands = Object.keys(Object.values(lies)[0] ?? {})
  const rows = Object.entries(lies).map(([name, cells]) => row([name, ...commands.map((one) => render(cells[one]))]))
  const used = new Set(Object.values(lies).flatMap((cells) => Object.values(cells)))
  const legend = Object.entries(reasons).filter(([word]) => used.has(`-${word}`))
  return [
    row(["lie", ...commands.map((name) => `\`${name}\``)]),
    row(["---", ...commands.map(() => "---")]),
    ...rows,
    "",
    "Where a command cannot see a lie:",
    "",
    ...legend.map(([word, sentence]) => `- *${words(word)}*: ${sentence}`),
    "",
  ].join("\n")
}

const row = (cells) => `| ${cells.join(" | ")} |`
const words = (reason) => reason.replaceAll("_", " ")

/** `3 LOG_INCONSISTENT`, `-one_view` or `ok`. */
function render(cell) {
  if (cell === "ok") return "ok"
  return cell.startsWith("-") ? `*${words(cell.slice(1))}*` : `${cell.slice(2)} (${cell[0]})`
}

/** SECURITY.md with this table in place of the one it has. */
export function placeMatrix(text, matrix) {
  const [start, end] = [text.indexOf(START), text.indexOf(END)]
  if (start < 0 || end < start) throw new Error(`expected ${START} and ${END}`)
  return `${text.slice(0, start + START.length)}\n\n${renderMatrix(matrix)}\n${text.slice(end)}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = fileURLToPath(new URL("../SECURITY.md", import.meta.url))
  const matrix = JSON.parse(readFileSync(new URL("../test/hostile/matrix.json", import.meta.url), "utf8"))
  writeFileSync(file, placeMatrix(readFileSync(file, "utf8"), matrix))
}
