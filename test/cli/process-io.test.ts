// Questions at a terminal: an answer, and everything that is none.
import { PassThrough } from "node:stream"
import { expect, test } from "vitest"
import { createAsk } from "../../src/cli/process-io.js"

function makeTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const abort = new AbortController()
  let interrupts = 0
  const interrupt = () => {
    interrupts++
    abort.abort("SIGINT")
  }
  const ask = createAsk({ input, output, signal: abort.signal, interrupt })
  /** Asks, and types as soon as the question is on the screen. */
  const answer = async (typed: () => void) => {
    const answered = ask("Really? ")
    output.once("data", typed)
    return answered
  }
  return { input, output, abort, answer, interrupts: () => interrupts }
}

test("an answer, and another one", async () => {
  const { input, answer } = makeTerminal()
  expect(await answer(() => input.write("yes\n"))).toBe("yes")
  expect(await answer(() => input.write("no\n"))).toBe("no")
})

test("the end of the input is no answer", async () => {
  const { input, answer } = makeTerminal()
  expect(await answer(() => input.end())).toBe("")
})

test("Ctrl-D is no answer", async () => {
  const { input, answer } = makeTerminal()
  expect(await answer(() => input.write("\u0004"))).toBe("")
})

test("Ctrl-C is no answer, and interrupts", async () => {
  const { input, answer, interrupts } = makeTerminal()
  expect(await answer(() => input.write("\u0003"))).toBe("")
  expect(interrupts()).toBe(1)
  expect(await answer(() => {})).toBe("") // what is asked after that gets no answer either
})

test("a signal from outside is no answer", async () => {
  const { abort, answer } = makeTerminal()
  expect(await answer(() => abort.abort("SIGTERM"))).toBe("")
})
