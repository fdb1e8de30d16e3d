// What two signed heads of a LEGION log prove of it, under its verified keyring. The parts of evidence that both dialects share are
// fork-proof.ts's. FORMAT.md, "LEGION dialect".
import { compareTrees, type ForkClaim, type ForkJudgement, type SignedTree } from "../fork-proof.js"
import { parseLegionJson } from "./json.js"
import type { LegionKeyring } from "./keyring.js"
import { parseSignedTreeHead, verifyTreeHead } from "./tree-head.js"

/** Judge the heads `a` and `b`. Without a proof of what the larger tree was at the smaller size two sizes contradict nothing: that the log
 *  gave a proof that fails, or none, is the word of whoever kept the evidence. Throws EVIDENCE_INVALID, and as `verifyTreeHead`. */
export function judgeLegionFork(keyring: LegionKeyring, claim: ForkClaim): ForkJudgement {
  const heads = [openHead(keyring, claim.a), openHead(keyring, claim.b)] as const
  // A log that went back shows the larger head first.
  const [a, b] = heads[0].size <= heads[1].size ? heads : [heads[1], heads[0]]
  return { finding: compareTrees(a, b, claim), a, b }
}

function openHead(keyring: LegionKeyring, text: string): SignedTree {
  const { size, rootHash, issuerPin } = verifyTreeHead(keyring, parseSignedTreeHead(parseLegionJson(text)))
  const isRetired = keyring.keys.get(issuerPin)?.limit != null
  const signers = [{ key: issuerPin, standing: isRetired ? ("retired" as const) : ("live" as const) }]
  return { kind: "head", size, rootHash, signers, cosigners: [] }
}
