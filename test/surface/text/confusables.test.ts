import { expect, test } from "vitest"
import { computeSkeleton, hasMixedScripts, latinLike } from "../../../src/surface/text/confusables.js"

test.each([
  ["send_mail", "send_mаil", "a Cyrillic letter"],
  ["send_mail", "ｓｅｎｄ_ｍａｉｌ", "full width"],
  ["send_mail", "𝐬𝐞𝐧𝐝_𝐦𝐚𝐢𝐥", "mathematical"],
  ["send_mail", "send_ma\u200bil", "zero width"],
  ["send_mail", "sénd_mail", "an accent"],
  ["export", "ехроrt", "several Cyrillic letters"],
  ["Oslo", "Οslo", "a Greek capital"],
  ["read_1", "read_l", "a digit"],
  ["m", "rn", "two letters"],
])("%s and %s may look the same: %s", (a, b) => {
  expect(computeSkeleton(a)).toBe(computeSkeleton(b))
})

test.each([
  ["send_mail", "send_mall"],
  ["get", "Get"],
  ["да", "нет"],
  ["日本", "日木"],
])("%s and %s do not", (a, b) => {
  expect(computeSkeleton(a)).not.toBe(computeSkeleton(b))
})

test.each([
  ["send_mаil", true],
  ["Ρaypal", true],
  ["ра\u200dypal", true],
  ["send_mail", false],
  ["отправить_mail", false], // two words
  ["über_naïve_façade", false],
  ["APIを使う", false],
  ["API를", false],
  ["用户ID", false],
  ["می‌خواهم", false],
  ["שלום", false],
  ["10µm", false],
  ["5kΩ", true], // Latin k before a Greek letter: a caller that judges looks asks latinLike too
])("scripts of %s are mixed: %s", (text, mixed) => {
  expect(hasMixedScripts(text)).toBe(mixed)
})

test.each([
  ["а", "a"],
  ["ο", "o"],
  ["ｅ", "e"],
  ["é", null],
  ["ж", null],
  ["я", null],
  ["a", null],
  ["—", null],
])("%s looks like %s", (character, latin) => {
  expect(latinLike(character)).toBe(latin)
})
