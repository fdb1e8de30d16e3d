import fc from "fast-check"
import { expect, test } from "vitest"
import {
  isReference,
  mapVariables,
  type TextPlace,
  upperSnake,
} from "../../../src/adapters/client-configs/variables.js"
import { expandTemplate, parseTemplate } from "../../../src/core/template.js"

const HERE: TextPlace = { dialect: "braces", projectIsHere: true }
const ELSEWHERE: TextPlace = { dialect: "braces", projectIsHere: false }
const BARE: TextPlace = { dialect: "bare", projectIsHere: true }
const CURLY: TextPlace = { dialect: "curly", projectIsHere: true }

test.each([
  ["", ""],
  ["plain", "plain"],
  ["${TOKEN}", "${TOKEN}"],
  ["Bearer ${env:TOKEN}", "Bearer ${TOKEN}"],
  ["${input:github-token}", "${GITHUB_TOKEN}"],
  ["${input:apiKey}/${input:2fa}", "${API_KEY}/${_2FA}"],
  ["${{ secrets.KEY }}x${{inputs.KEY2}}", "${KEY}x${KEY2}"],
  ["costs $5 and $HOME", "costs $$5 and $$HOME"],
  ["$$", "$$$$"],
  ["$", "$$"],
  ["{env:NAME}", "{env:NAME}"],
  ["${userHome}/x", "${HOME}/x"],
  ["${workspaceFolder}/server.js", "./server.js"],
  ["--root=${workspaceFolder}", "--root=."],
  ["${workspaceRoot}\\x", ".\\x"],
])("%j is %j", (text, template) => {
  expect(mapVariables(text, HERE)).toMatchObject({ template })
  expect(() => parseTemplate(template)).not.toThrow()
})

test.each([
  [BARE, "$TOKEN-${OTHER}", "${TOKEN}-${OTHER}"],
  [BARE, "$5", "$$5"],
  [CURLY, "Bearer {env:TOKEN}", "Bearer ${TOKEN}"],
  [CURLY, "{env:TOKEN} $TOKEN {x}", "${TOKEN} $$TOKEN {x}"],
] as const)("a client's own spelling: %j %j", (place, text, template) => {
  expect(mapVariables(text, place)).toMatchObject({ template })
})

test.each([
  [HERE, "${TOKEN:-hunter22}", "a default value of variable TOKEN"],
  [HERE, "${env:TOKEN-hunter22}", "a default value of variable TOKEN"],
  [HERE, "${command:hunter22}", "a variable of the form ${command:…}"],
  [HERE, "${input:}", "a variable of the form ${input:…}"],
  [HERE, "${hunter22 hunter22}", "a variable of a form that is not known"],
  [HERE, "${}", "a variable of a form that is not known"],
  [HERE, "${{ hunter22 }}", "a variable of a form that is not known"],
  [HERE, "${workspaceFolder:hunter22}", "a variable of the form ${workspaceFolder:…}"],
  [HERE, "${workspaceFolderBasename}", "the editor's variable ${workspaceFolderBasename}"],
  [HERE, "x${workspaceFolder}", "the project's folder where no path relative to it can stand"],
  [HERE, "${workspaceFolder}x", "the project's folder where no path relative to it can stand"],
  [ELSEWHERE, "${workspaceFolder}/x", "the project's folder where no path relative to it can stand"],
  [CURLY, "{file:hunter22}", "a variable of the form ${file:…}"],
] as const)("%j %j is refused without its text", (place, text, problem) => {
  expect(mapVariables(text, place)).toEqual({ problem })
})

test("a text without references means itself, whatever is in it", () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom(HERE, BARE, CURLY), (text, place) => {
      const mapped = mapVariables(text, place)
      if ("problem" in mapped || mapped.names.length > 0) return
      expect(expandTemplate(mapped.template, {})).toBe(text)
    }),
  )
})

test("names are those of the template", () => {
  expect(mapVariables("${A}${env:B}${A}", HERE)).toMatchObject({ names: ["A", "B", "A"] })
})

test.each([
  ["X-API-Key", "X_API_KEY"],
  ["apiKey", "API_KEY"],
  ["a b.c", "A_B_C"],
  ["9x", "_9X"],
  ["-", null],
  ["", null],
  ["x".repeat(200), null],
])("%j as a variable is %j", (text, name) => {
  expect(upperSnake(text)).toBe(name)
})

test("a value that is one reference stands elsewhere", () => {
  for (const text of ["${A}", "${env:A}", "${A:-b}", "$A", "{env:A}", "${{ secrets.A }}", " ${input:a} "])
    expect(isReference(text)).toBe(true)
  for (const text of ["", "a", "${A}b", "x ${A}", "$5", "{x}"]) expect(isReference(text)).toBe(false)
})
