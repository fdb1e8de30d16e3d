// Everything that is fuzzed, with the documents that it needs made.
import { makeCompleteLog } from "../fakes/complete-log.js"
import { evidenceOf } from "../fakes/evidence-world.js"
import type { Fuzzed } from "./subject.js"
import { listFuzzed } from "./subjects.js"

/** Every reader under test. */
export async function allFuzzed(): Promise<readonly Fuzzed[]> {
  const { evidence } = await evidenceOf({})
  return listFuzzed(await makeCompleteLog(), evidence)
}
