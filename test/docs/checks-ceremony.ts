// Recomputes the examples of FORMAT.md that come with key ceremonies: what a key is worth at a size, the draft of a keyring, and the entry
// of a log that goes on where another one ended.
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText } from "../../src/core/keyring-text.js"
import { checkDraft, finishDraft, formatDraft, parseDraft, signDraft } from "../../src/features/ceremony/draft.js"
import { planRotation } from "../../src/features/ceremony/plan.js"
import { formatSuccession, parseSuccession } from "../../src/features/ceremony/succession.js"
import { headOf, notesOf } from "./checks-log.js"
import { CREATED_SEC, exampleKey, ORIGIN, ROOT_KEY, verifierOf } from "./example-log.js"
import type { Checks, FormatDocument } from "./format-document.js"

/** The key that the example log changes to. */
const NEW_KEY = exampleKey("example log 2", ORIGIN)

const damaged = (why: string) => new ToolsumError("KEYRING_MALFORMED", why)

/** The draft of keyring 2 of the example log, signed: a new key beside the old one, from size 5. */
async function draftText(doc: FormatDocument): Promise<string> {
  const keyrings = [doc.text("keyring")]
  const head = headOf((await notesOf(doc))["3"] ?? "")
  const log = { keyring: parseKeyring(doc.text("keyring")), head, nowSec: BigInt(CREATED_SEC + 86_400) }
  const next = planRotation(log, { key: verifierOf(NEW_KEY), from: 5n })
  const draft = signDraft(checkDraft({ keyrings, text: formatKeyringText(next), signatures: [] }), ROOT_KEY)
  verifyKeyring({ notes: [...keyrings, finishDraft(draft)], root: doc.line("root") })
  return formatDraft(parseDraft(formatDraft(draft)))
}

export const CEREMONY_CHECKS: Checks = {
  draft: draftText,
  succession: async (doc) => {
    const checkpoint = (await notesOf(doc))["3"] ?? ""
    const entry = formatSuccession({ root: doc.line("root"), checkpoint })
    return parseSuccession(encodeUtf8(doc.text("succession"))).head.size === 3n ? decodeUtf8(entry, damaged) : "another"
  },
}
