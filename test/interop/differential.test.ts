// Differential fuzzing against Go (notecheck), one process for all: for random, kept and mangled notes, keys, checkpoints, cosignatures, proof
// files, policies and proofs our verdict is the strict one of the other side, we count the same keys and witnesses, and what both make from one
// key is the same. TOOLSUM_SEED replays a run, TOOLSUM_CASES makes it longer.
import fc from "fast-check"
import { beforeAll, expect, test } from "vitest"
import { parseBase64 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { describeShared } from "../shared.js"
import { RANDOM_CASES } from "./differential-cases.js"
import { corpusCases } from "./differential-corpus.js"
import { type DifferentialCase, latin1 } from "./differential-requests.js"
import { runTool } from "./tools.js"

// The same cases for a commit each time; TOOLSUM_SEED asks about others.
const seed = Number(process.env.TOOLSUM_SEED ?? 20_261_201)
const count = Number(process.env.TOOLSUM_CASES ?? 1200)

/** All cases are made and asked at once. */
const MAX_MS = 300_000

const KEPT = [
  ...["kept notes", "kept vkeys", "kept checkpoints", "kept proof files", "kept policies"],
  ...["kept notes under policies", "kept policies over notes"],
]

interface Answer {
  readonly id: number
  readonly ok: boolean
  readonly error?: string
  readonly note?: string
  readonly verified?: readonly string[]
}

describeShared("the same verdict as Go", () => {
  let cases: Readonly<Record<string, readonly DifferentialCase[]>> = {}
  let answers: ReadonlyMap<DifferentialCase, Answer> = new Map()

  beforeAll(() => {
    const sampled = Object.entries(RANDOM_CASES).map(
      ([kind, arbitrary]) => [kind, fc.sample(arbitrary, { seed, numRuns: count })] as const,
    )
    cases = { ...Object.fromEntries(sampled), ...corpusCases(seed, count) }
    answers = askAll(Object.values(cases).flat())
  }, MAX_MS)

  test("every kind is asked", () => expect(Object.keys(cases)).toEqual([...Object.keys(RANDOM_CASES), ...KEPT]))

  test.each([...Object.keys(RANDOM_CASES), ...KEPT])(`%s (seed ${seed})`, (kind) => {
    const own = cases[kind] ?? []
    const accepted = own.filter(({ ours }) => ours).length
    console.log(`${kind}: seed ${seed}, ${own.length} cases, ${accepted} accepted`)
    for (const [i, one] of own.entries()) {
      const why = differenceOf(one, answers.get(one))
      if (why === null) continue
      const { note_b64, text_b64 } = one.request
      expect.fail(
        `seed ${seed}, case ${i}: ${why}\n${JSON.stringify(one.request)}\n${decode(note_b64)}\n${decode(text_b64)}`,
      )
    }
    expect(accepted).toBeGreaterThan(0)
    expect(kind === "cosign" || accepted < own.length).toBe(true)
  })
})

/** What is not as it should be; null when both sides say the same, or differ as they are known to. */
function differenceOf({ request, ours, said, stricter }: DifferentialCase, theirs: Answer | undefined): string | null {
  if (theirs === undefined) return "no answer"
  if (theirs.error?.startsWith("panic")) return theirs.error
  if (theirs.ok !== ours) {
    if (theirs.ok && stricter !== null) return null
    // Such a key verifies nothing, which we find out when it is asked to.
    if (
      isOp(request, "vkey", "policy", "policy-verify") &&
      theirs.error?.endsWith("public key is not a canonical curve point")
    )
      return null
    return `we ${ours ? "accept" : "refuse"}, Go says ${theirs.error ?? "ok"}`
  }
  if (!ours || said === null || stricter !== null) return null
  const [we, they] = [said, theirs.note ?? theirs.verified ?? []].map(asText)
  return we === they ? null : `we say ${we}, Go says ${they}`
}

const isOp = ({ op }: DifferentialCase["request"], ...ops: readonly string[]): boolean => ops.includes(String(op))

/** Octets that are no UTF-8 are one replacement character each here and one for several there. */
const asText = (said: string | readonly string[]): string =>
  typeof said === "string"
    ? said
    : said
        .map((name) => name.replace(/\ufffd+/g, "\ufffd"))
        .toSorted()
        .join(" ")

function askAll(all: readonly DifferentialCase[]): ReadonlyMap<DifferentialCase, Answer> {
  const lines = all.map(({ request }, id) => `${JSON.stringify({ id: id + 1, ...request })}\n`)
  const { stdout } = runTool("notecheck", [], lines.join(""))
  const answers: readonly Answer[] = new TextDecoder()
    .decode(stdout)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers.map(({ id }) => id)).toEqual(all.map((_, i) => i + 1))
  return new Map(answers.flatMap((answer, i) => (all[i] ? [[all[i], answer] as const] : [])))
}

/** Bytes of a request's member, for a message. */
const decode = (text: unknown): string => (typeof text === "string" ? latin1(parseBase64(text, bad)) : "")
const bad = (why: string) => new ToolsumError("USAGE", why)
