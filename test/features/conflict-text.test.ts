import { expect, test } from "vitest"
import { formatConflict } from "../../src/features/conflict-text.js"

const conflict = (ours: string, theirs: string) => `<<<<<<< ours\n${ours}=======\n${theirs}>>>>>>> theirs\n`

test.each([
  { name: "equal texts", ours: "a\nb\n", theirs: "a\nb\n", expected: "a\nb\n" },
  { name: "a line", ours: "a\nb\nc\n", theirs: "a\nB\nc\n", expected: `a\n${conflict("b\n", "B\n")}c\n` },
  { name: "a line that only ours has", ours: "a\nb\n", theirs: "a\n", expected: `a\n${conflict("b\n", "")}` },
  { name: "no final newline", ours: "a", theirs: "b", expected: conflict("a\n", "b\n") },
  { name: "nothing on one side", ours: "", theirs: "b\n", expected: conflict("", "b\n") },
  {
    name: "a line inside a pin",
    ours: '{\n    "x": {\n      "a": 1\n    },\n    "y": {}\n}\n',
    theirs: '{\n    "x": {\n      "a": 2\n    },\n    "y": {}\n}\n',
    expected: `{\n${conflict('    "x": {\n      "a": 1\n    },\n', '    "x": {\n      "a": 2\n    },\n')}    "y": {}\n}\n`,
  },
])("$name", ({ ours, theirs, expected }) => {
  expect(formatConflict(ours, theirs)).toBe(expected)
})

test("texts too far apart are one conflict", () => {
  const [ours, theirs] = ["a", "b"].map((letter) => Array.from({ length: 5000 }, (_, i) => `${letter}${i}\n`).join(""))
  expect(formatConflict(`x\n${ours}`, `x\n${theirs}`)).toBe(conflict(`x\n${ours}`, `x\n${theirs}`))
})
