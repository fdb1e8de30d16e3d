// What we do where the specifications leave it open: the table "open" of FORMAT.md, by the names of the interop vectors.
import { readFormatDocument, words } from "../docs/format-document.js"

/** Our choices by the name of their case: true to accept. */
export const openChoices: ReadonlyMap<string, boolean> = new Map(
  readFormatDocument()
    .table("open")
    .flatMap(([, choice, cases]) => words(cases).map((name) => [name, readChoice(choice)] as const)),
)

/** True for a case that we accept. Throws for an open one that nobody has decided. */
export function isWanted({ name, want }: { readonly name: string; readonly want: string }): boolean {
  if (want === "accept" || want === "reject") return want === "accept"
  const choice = openChoices.get(name)
  if (choice === undefined) throw new Error(`FORMAT.md does not decide the open case ${name}`)
  return choice
}

function readChoice(cell: string | undefined): boolean {
  if (cell === "accept" || cell === "refuse") return cell === "accept"
  throw new Error(`FORMAT.md: expected accept or refuse, got ${cell}`)
}
