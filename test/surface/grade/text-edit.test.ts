import fc from "fast-check"
import { expect, test } from "vitest"
import { judgeTextEdit } from "../../../src/surface/grade/text-edit.js"
import { expectWork } from "../../work.js"

test.each([
  ["Draw.\nSteps:", "Draw.\n    Steps:", "whitespace"],
  ["Up to 3 days", "Up to\u00a03\u2003days", "whitespace"],
  ["Read a file", " Read a file\n", "whitespace"],
  ["Read a file", "Read a\u200b file", "wording"],
  ["Read a file", "Read a\ufefffile", "wording"],
  ["As of 2026-11-28T19:40:11Z.", "As of 2026-11-29T08:14:02Z.", "volatile"],
  ["(forecastd 1.4.2)", "(forecastd 1.4.3-rc1)", "volatile"],
  ["Cache: /home/dev/.cache/x", "Cache: /home/build/.cache/x", "volatile"],
  ["Cache: /home/dev/project/cache", "Cache: /home/build/agent7/cache", "volatile"],
  ["Cache: C:\\Users\\dev\\cache", "Cache: C:\\Users\\agent7\\cache", "volatile"],
  ["As of 2026-11-28. Reads.", "As of 2026-11-29. Writes.", "wording"],
  ["Cache: /home/dev/project/cache", "Cache: /home/dev/.ssh/id_rsa", "wording"],
  ["Cache: /home/dev/a", "Cache: /home/dev/.aws/credentials", "wording"],
  ["Posts to https://a.example.com/home/x", "Posts to https://b.example.com/home/x", "wording"],
  ["At most 7 days", "At most 70 days", "wording"],
  ["Get the wether of a city.", "Get the weather of a city.", "spelling"],
  ["Recieve mail", "Receive mail", "spelling"],
  ["get the weather of a city", "Get the weather, of a city!", "spelling"],
  ["It is now shared with others", "It is not shared with others", "wording"],
  ["Reads a file", "Reads a secret file", "wording"],
  ["Enable the check", "Disable the check", "wording"],
  ["Includes mail", "Excludes mail", "wording"],
  ["Call the sender", "Call the s\u0435nder", "wording"],
  ["Runs the job", "Runs the job $(now)", "wording"],
  ["", "Reads a file", "wording"],
  ["Get the weather of a city.", "都市の天気予報を取得します。", "wording"],
])("%j to %j is %s", (before, after, edit) => {
  expect(judgeTextEdit(before, after)).toBe(edit)
  expect(judgeTextEdit(after, before)).toBe(edit)
})

test("long texts take linear time", () => {
  const bait = [
    "/home/".repeat(20_000),
    "1.".repeat(50_000),
    "a".repeat(100_000),
    "-0000".repeat(20_000),
    "C:\\".repeat(30_000),
  ]
  const judge = () => bait.map((text) => judgeTextEdit(text, `${text}!x`))
  expect(judge()).toEqual(bait.map(() => "wording"))
  expectWork(judge, { megabytes: 60 })
})

test("an added word of letters is never less than wording", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom<string>("read", "the", "file", "never"), { minLength: 1 }),
      fc.nat(),
      (words, at) => {
        const longer = words.toSpliced(at % (words.length + 1), 0, "delete")
        expect(judgeTextEdit(words.join(" "), longer.join(" "))).toBe("wording")
      },
    ),
    { seed: 7, numRuns: 200 },
  )
})
