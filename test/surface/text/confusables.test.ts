import { expect, test } from "vitest"
import { computeSkeleton, latinLike } from "../../../src/surface/text/confusables.js"

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
