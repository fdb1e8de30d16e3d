// The list of lies, each told alone, beginning with the truth.

import { createDraft, type Draft, type Lie } from "./lie.js"
import { CLIENT_DAMAGE, HTTP_LIES } from "./lies-client.js"
import { HISTORY_LIES } from "./lies-history.js"
import { KEYRING_LIES } from "./lies-keyrings.js"
import { RECORD_LIES } from "./lies-records.js"
import { SIGNATURE_LIES } from "./lies-signatures.js"
import { TEXT_LIES } from "./lies-text.js"
import type { HonestWorld } from "./world.js"

const TRUTH: Lie = {
  name: "truth",
  kind: "harmless",
  says: "no lie: the honest log",
  step: "history",
  from: "nothing is wrong",
  tell: () => undefined,
}

/** Every lie, in the order of a client's steps within each subject. */
export const LIES: readonly Lie[] = [
  TRUTH,
  ...TEXT_LIES,
  ...SIGNATURE_LIES,
  ...HISTORY_LIES,
  ...KEYRING_LIES,
  ...RECORD_LIES,
  ...CLIENT_DAMAGE,
  ...HTTP_LIES,
]

/** The lie of that name, or null. */
export const findLie = (name: string): Lie | null => LIES.find((lie) => lie.name === name) ?? null

/** The honest log with one lie told about it, and the client that it is told to. */
export function tellLie(lie: Lie, world: HonestWorld): Draft {
  const draft = createDraft(world)
  lie.tell(draft)
  return draft
}
