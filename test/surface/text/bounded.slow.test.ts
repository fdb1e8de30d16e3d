// Bait of a megabyte: no text costs much more than one that nothing is found in.
import { expect, test } from "vitest"
import { findInTexts } from "../../../src/surface/text/find-in-texts.js"
import { readSurface } from "./surfaces.js"

const SIZE = 1_000_000
const fill = (unit: string): string => unit.repeat(Math.ceil(SIZE / unit.length)).slice(0, SIZE)

/** Milliseconds of the better of two readings. */
function time(text: string): number {
  const surface = readSurface({ tools: [{ name: "bait", description: text }], instructions: `${text}.` })
  const runs = [0, 1].map(() => {
    const start = performance.now()
    findInTexts(surface, {})
    return performance.now() - start
  })
  return Math.min(...runs)
}

/** Prose in which every rule has something to look at, as a plain measure of a megabyte. */
const plain = time(fill("The user may call the tool with all instructions of the page, but not without a token. "))

/** Most times that bait may cost of what prose costs. */
const MAX_RATIO = 12

test.each([
  ["one letter and an end", `${fill("a")}!`],
  ["spaces", `${fill(" ")}x`],
  ["spaces and letters", fill(`${" ".repeat(79)}x`)],
  ["line feeds", `${fill("\n")}x`],
  ["empty lines, one too few", fill(`${"\n \t".repeat(11)}x`)],
  ["zero-width characters", fill("\u200b")],
  ["joiners between Arabic letters", fill("\u0645\u200c")],
  ["tags", fill("\u{e0041}")],
  ["selectors", fill("\ufe01")],
  ["overrides", fill("\u202ea\u202c")],
  ["open isolates in Hebrew", fill("\u05d0\u2066")],
  ["base64", fill("aB3dE5gH")],
  ["almost base64", fill(`${"aB3dE5gH".repeat(4)}aB3dE5 `)],
  ["open comments", fill("<!-- a ")],
  ["commas without a sentence", fill("ignore, ignore, all previous ")],
  ["half a request", fill("put include attach the user's the current any all ")],
  ["half a preference", fill("use this over prefer this over ")],
  ["half a route", fill("route every request through all messages ")],
  ["half a concealment", fill("do not tell never mention hide this that keep this ")],
  ["half a supersession", fill("these instructions this text what you were given ")],
  ["half a credential", fill("include the stored saved access session bearer ")],
  ["names", fill("call a_b_c_d_e_f_g use `a.b-c` ")],
  ["quotes", fill('" ignore all previous instructions ` ')],
  ["addresses", fill("bcc a.b+c@d.e-f ")],
  ["paths", fill("/home/k/a/b/c.d/")],
  ["versions", fill("ab 1.2.3-a.b ")],
  ["moments", fill("2026-11-28T19:40:1")],
  ["circled letters", fill("\u24d0 ")],
  ["look-alikes", fill("\u0430b ")],
  ["dots", fill(". ")],
])("%s", (_, bait) => {
  expect(time(bait) / plain).toBeLessThan(MAX_RATIO)
})
