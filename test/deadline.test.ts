// A time limit must be kept while nobody holds it but a combined signal: the way all requests use it.
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { createDeadline } from "../src/deadline.js"

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

test("a deadline fires although garbage is collected meanwhile", async () => {
  const closing = new AbortController()
  const reasons: string[] = []
  const watch = () => {
    const signal = AbortSignal.any([createDeadline(40), closing.signal])
    signal.addEventListener("abort", () => reasons.push(signal.reason.name))
  }
  for (let i = 0; i < 50; i++) watch()
  for (let i = 0; i < 100 && reasons.length < 50; i++) {
    collectGarbage()
    await pause(10)
  }
  expect(reasons).toEqual(Array(50).fill("TimeoutError"))
})

test("nothing in src relies on AbortSignal.timeout", () => {
  const src = fileURLToPath(new URL("../src", import.meta.url))
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"))
  expect(files.length).toBeGreaterThan(100)
  const using = files.filter((file) => readFileSync(`${src}/${file}`, "utf8").includes("AbortSignal.timeout("))
  expect(using).toEqual([])
})
