// Cases for notecheck from what the coverage-guided search has kept, from the interop vectors, and from changes of both by the mutators of the
// search: seeded, and as many as are asked for.
import { readdirSync, readFileSync } from "node:fs"
import { encodeUtf8, parseBase64 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { readCorpus } from "../fuzz/corpus.js"
import { collectTokens, mutate } from "../fuzz/mutate.js"
import { createRandom, pick, type Random } from "../fuzz/random.js"
import { repairKeys } from "../fuzz/repair.js"
import { readShared, sharedPath } from "../shared.js"
import { POLICIES, policyText } from "./differential-cases.js"
import {
  askCheckpoint,
  askCosigned,
  askNote,
  askPolicy,
  askProof,
  askVkey,
  type DifferentialCase,
} from "./differential-requests.js"

const VECTORS = "interop/vectors"
const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const corpus = (...names: readonly string[]) => names.flatMap((name) => [...readCorpus(name).values()])
const files = (folder: string, end: string) =>
  readdirSync(sharedPath(`${VECTORS}/${folder}`))
    .filter((name) => name.endsWith(end))
    .map((name) => new Uint8Array(readFileSync(sharedPath(`${VECTORS}/${folder}/${name}`))))

interface Cosigned {
  readonly note: string
  readonly policy: string
}

/** `count` cases of each kind. */
export function corpusCases(seed: number, count: number): Readonly<Record<string, readonly DifferentialCase[]>> {
  const notes: { cases: { note_b64: string }[] } = JSON.parse(readShared(`${VECTORS}/notes/cases.json`))
  const keys: { vkey: string }[] = JSON.parse(readShared(`${VECTORS}/notes/vkeys.json`))
  const cosigned: Cosigned[] = JSON.parse(readShared(`${VECTORS}/checkpoints/cases.json`))
  const cosignedNotes = cosigned.map(({ note }) => encodeUtf8(note))
  const policies = [...corpus("policy"), ...files("policies", ".policy")]
  const signed = [
    ...corpus("note", "note under a policy", "keyring", "keyring chain"),
    ...notes.cases.map(({ note_b64 }) => parseBase64(note_b64, bad)),
    ...cosignedNotes,
  ]
  const policyNames = [...new Set(cosigned.map(({ policy }) => policy))]
  const policyOf = (name: string) => encodeUtf8(readShared(`${VECTORS}/policies/${name}.policy`))
  const pairs = cosigned.map(({ note, policy }) => askCosigned(policyOf(policy), encodeUtf8(note)))
  const random = createRandom(seed)
  const vary = (seeds: readonly Uint8Array[], ask: (bytes: Uint8Array) => DifferentialCase | null) =>
    variations(seeds, { random, count, ask })
  return {
    "kept notes": vary(signed, askNote),
    "kept vkeys": vary([...corpus("vkey"), ...keys.map(({ vkey }) => encodeUtf8(vkey))], (bytes) =>
      askVkey(new TextDecoder("utf-8", { ignoreBOM: true }).decode(repairKeys(bytes))),
    ),
    "kept checkpoints": vary(corpus("checkpoint"), askCheckpoint),
    "kept proof files": vary([...corpus("proof file"), ...files("proofs", ".tlog-proof")], askProof),
    "kept policies": vary(policies, (bytes) => askPolicy(repairKeys(bytes))),
    "kept notes under policies": [
      ...pairs,
      ...vary(cosignedNotes, (note) => askCosigned(policyOf(pick(random, policyNames, "log-only")), note)),
    ],
    "kept policies over notes": vary([...policies, ...POLICIES.map((text) => encodeUtf8(policyText(text)))], (policy) =>
      askCosigned(repairKeys(policy), pick(random, cosignedNotes, new Uint8Array(0))),
    ),
  }
}

interface Variations {
  readonly random: Random
  readonly count: number
  readonly ask: (bytes: Uint8Array) => DifferentialCase | null
}

/** All seeds as they are, then changes of them; the ones that cannot be asked are left out. */
function variations(seeds: readonly Uint8Array[], { random, count, ask }: Variations): readonly DifferentialCase[] {
  const material = { random, corpus: seeds, tokens: collectTokens(seeds, []) }
  const inputs = [...seeds]
  while (inputs.length < count) inputs.push(mutate(pick(random, seeds, new Uint8Array(0)), material))
  return inputs.map(ask).filter((asked) => asked !== null)
}
