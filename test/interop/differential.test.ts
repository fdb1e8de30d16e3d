// Differential fuzzing against Go (notecheck): for random and mangled notes, keys, checkpoints, proof files, policies and proofs our verdict
// is the strict one of the other side. TOOLSUM_SEED replays a run, TOOLSUM_CASES makes it longer.
import fc from "fast-check"
import { expect, test } from "vitest"
import { describeShared } from "../shared.js"
import { CASES, decodeRequest } from "./differential-cases.js"
import { runTool } from "./tools.js"

const seed = Number(process.env.TOOLSUM_SEED ?? Date.now() % 2 ** 31)
const count = Number(process.env.TOOLSUM_CASES ?? 250)

interface Answer {
  readonly id: number
  readonly ok: boolean
  readonly error?: string
}

describeShared("the same verdict as Go", () => {
  test.each(Object.keys(CASES))(`%s (seed ${seed})`, (kind) => {
    const cases = fc.sample(CASES[kind] ?? fc.constant(null as never), { seed, numRuns: count })
    const requests = cases.map(({ request }, id) => `${JSON.stringify({ id: id + 1, ...request })}\n`)
    const { stdout } = runTool("notecheck", [], requests.join(""))
    const answers: Answer[] = new TextDecoder()
      .decode(stdout)
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(answers.map(({ id }) => id)).toEqual(cases.map((_, i) => i + 1))
    const accepted = cases.filter(({ ours }) => ours).length
    console.log(`${kind}: seed ${seed}, ${count} cases, ${accepted} accepted`)
    for (const [i, { request, ours, stricter }] of cases.entries()) {
      const theirs = answers[i]
      if (theirs?.ok === ours || (theirs?.ok && stricter !== null)) continue
      // Such a key verifies nothing, which we find out when it is asked to.
      if (kind === "vkey" && theirs?.error?.endsWith("public key is not a canonical curve point")) continue
      const text = decodeRequest(request.note_b64 ?? request.text_b64)
      expect.fail(
        `seed ${seed}, case ${i}: we ${ours ? "accept" : "refuse"}, Go says ${theirs?.error ?? "ok"}\n${JSON.stringify(request)}\n${text}`,
      )
    }
    expect(accepted).toBeGreaterThan(count / 50)
    expect(accepted).toBeLessThan(count)
  })
})
