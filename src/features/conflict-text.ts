// Two versions of a lockfile as one text with git's conflict markers: whole pins and logs, never lines of both mixed, so that taking one
// side of every conflict gives a lockfile. Works on any text; what is no lockfile in its written form goes line by line.
import { diffArrays } from "diff"

/** Insertions and deletions looked for; beyond them the whole text is one conflict. */
const MAX_EDITS = 2000

/** Both texts, with markers around what differs. Equal texts give that text, without markers. */
export function formatConflict(ours: string, theirs: string): string {
  const [a, b] = [splitBlocks(ours), splitBlocks(theirs)]
  const changes = diffArrays(a, b, { maxEditLength: MAX_EDITS }) ?? [
    { value: a, removed: true, added: false },
    { value: b, removed: false, added: true },
  ]
  let text = ""
  let open = { ours: "", theirs: "" }
  const close = () => {
    if (open.ours + open.theirs !== "")
      text += `<<<<<<< ours\n${endLine(open.ours)}=======\n${endLine(open.theirs)}>>>>>>> theirs\n`
    open = { ours: "", theirs: "" }
  }
  for (const { value, added, removed } of changes) {
    if (removed) open.ours += value.join("")
    else if (added) open.theirs += value.join("")
    else {
      close()
      text += value.join("")
    }
  }
  close()
  return text
}

const endLine = (text: string): string => (text === "" || text.endsWith("\n") ? text : `${text}\n`)

/** A line each; but a line with four spaces, such as the name of a pin, with all below it. */
function splitBlocks(text: string): string[] {
  const blocks: string[] = []
  for (const line of text.split(/(?<=\n)/)) {
    const isInside = /^ {5,}\S|^ {4}[\]}]/.test(line)
    if (isInside && blocks.length > 0) blocks.push((blocks.pop() ?? "") + line)
    else blocks.push(line)
  }
  return blocks
}
