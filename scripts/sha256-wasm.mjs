// SHA-256 (FIPS 180-4) of four Merkle nodes at once in WebAssembly SIMD: SHA-256(0x01, left, right), the 65 bytes of RFC 6962 §2.1, one
// message in each of the four 32-bit lanes. Writes src/core/sha256-wasm.ts, which a test compares. Usage: node scripts/sha256-wasm.mjs
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  add,
  and,
  assembleModule,
  call,
  I32,
  i32,
  i32Add,
  i32Load8,
  i32LtU,
  i32Shl,
  i32ShrU,
  load,
  loadSplat,
  local,
  loopWhile,
  or,
  select,
  setLocal,
  shl,
  shrU,
  shuffle,
  splat,
  store,
  storeLane,
  V128,
  words,
  xor,
} from "./wasm.mjs"

// Addresses. CONSTANTS: 64 words. STATE and SCHEDULE: 8 and 64 vectors. LAST: 64 words for each byte that a node can end with.
const CONSTANTS = 0
const STATE = 256
const SCHEDULE = 512
const LAST = 2048
const ROW = LAST + 256 * 256
/** Hashes that the row has room for: 32 full tiles. */
const ROW_HASHES = 8192
const PAGES = Math.ceil((ROW + ROW_HASHES * 32) / 65536)

const NODE_BITS = 65 * 8
const FOUR = [0, 1, 2, 3]

// FIPS 180-4, 4.2.2 and 5.3.3: the first 32 bits of the fractions of the roots of the first primes.
const PRIMES = [...Array(312).keys()].filter((n) => n > 1 && ![...Array(n).keys()].some((d) => d > 1 && n % d === 0))
const fraction = (prime, degree) =>
  Number(BigInt.asUintN(32, integerRoot(BigInt(prime) << BigInt(32 * degree), degree)))
const ROUND_CONSTANTS = PRIMES.map((prime) => fraction(prime, 3))
const INITIAL = PRIMES.slice(0, 8).map((prime) => fraction(prime, 2))

/** Largest integer whose power of `degree` is at most `value`. */
function integerRoot(value, degree) {
  let root = 0n
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** BigInt(degree) <= value) root += bit
  return root
}

const rotr = (x, bits) => or(shrU(x, bits), shl(x, 32 - bits))
const sum = (x, [a, b, c]) => xor(xor(rotr(x, a), rotr(x, b)), rotr(x, c))
const mix = (x, [a, b, c]) => xor(xor(rotr(x, a), rotr(x, b)), shrU(x, c))

const start = i32(0)
/** Do `body` for 0, `step`, 2 `step` … below `end`: the counter is local `i`, which is 0 before. */
const count = (i, { step, end }, ...body) =>
  loopWhile(i32LtU(local(i), end), ...body, setLocal(i, i32Add(local(i), i32(step))))

/** Function 0: the 16 words of SCHEDULE to all 64, each with its constant added (6.2.2, step 1). */
function schedule() {
  const [i, x, y] = [0, 1, 2]
  const word = (t) => load(local(i), SCHEDULE + 16 * t)
  const constant = loadSplat(i32ShrU(local(i), 2), CONSTANTS)
  const addConstant = store(local(i), SCHEDULE, add(word(0), constant))
  return {
    parameters: [],
    locals: [
      { count: 1, type: I32 },
      { count: 2, type: V128 },
    ],
    body: [
      count(
        i,
        { step: 16, end: i32(48 * 16) },
        setLocal(x, word(1)),
        setLocal(y, word(14)),
        store(
          local(i),
          SCHEDULE + 16 * 16,
          add(add(add(word(0), word(9)), mix(local(x), [7, 18, 3])), mix(local(y), [17, 19, 10])),
        ),
        addConstant,
      ),
      count(i, { step: 16, end: i32(64 * 16) }, addConstant),
    ],
  }
}

/** Function 1: STATE compressed with SCHEDULE (6.2.2, steps 2 to 4). Eight rounds bring the names of the variables back to where they were. */
function compress() {
  const i = 0
  const variables = [1, 2, 3, 4, 5, 6, 7, 8]
  const [t1, ab, bc] = [9, 10, 11]
  const round = (t) => {
    const [a, b, , d, e, f, g, h] = variables.map((_, at) => variables[(at - t + 8) % 8])
    const choice = select(local(f), local(g), local(e))
    return [
      setLocal(t1, add(add(add(local(h), load(local(i), SCHEDULE + 16 * t)), choice), sum(local(e), [6, 11, 25]))),
      setLocal(d, add(local(d), local(t1))),
      // The majority of a, b and c is b where a and b agree or b and c do not; this b xor c was the last round's a xor b.
      setLocal(ab, xor(local(a), local(b))),
      setLocal(h, add(add(local(t1), xor(local(b), and(local(ab), local(bc)))), sum(local(a), [2, 13, 22]))),
      setLocal(bc, local(ab)),
    ]
  }
  const [, second, third] = variables
  return {
    parameters: [],
    locals: [
      { count: 1, type: I32 },
      { count: 11, type: V128 },
    ],
    body: [
      variables.map((v, at) => setLocal(v, load(start, STATE + 16 * at))),
      setLocal(bc, xor(local(second), local(third))),
      count(i, { step: 8 * 16, end: i32(64 * 16) }, [0, 1, 2, 3, 4, 5, 6, 7].map(round)),
      variables.map((v, at) => store(start, STATE + 16 * at, add(local(v), load(start, STATE + 16 * at)))),
    ],
  }
}

/** Function 2, run once: LAST. The second block of a node is its last byte, a one bit, zeros and its length: 256 schedules are all. */
function prepare() {
  const [byte, i] = [0, 1]
  const four = FOUR.map((lane) => lane << 24)
  const word = (t) => {
    if (t > 0) return splat(i32(t === 15 ? NODE_BITS : 0))
    return or(splat(i32Shl(local(byte), 24)), words(four.map((bits) => bits | 0x800000)))
  }
  const row = i32Add(i32Shl(local(byte), 8), i32ShrU(local(i), 2))
  return {
    start: true,
    parameters: [],
    locals: [{ count: 2, type: I32 }],
    body: count(
      byte,
      { step: 4, end: i32(256) },
      [...Array(16).keys()].map((t) => store(start, SCHEDULE + 16 * t, word(t))),
      call(0),
      setLocal(i, start),
      count(
        i,
        { step: 16, end: i32(64 * 16) },
        FOUR.map((lane) => storeLane(row, LAST + 256 * lane, load(local(i), SCHEDULE), lane)),
      ),
    ),
  }
}

/** Bytes of a shuffle that takes whole words, by their numbers in both vectors. */
const lanes = (four) => four.flatMap((word) => FOUR.map((byte) => 4 * word + byte))
/** Words are big-endian (3.1), memory is not. */
const swapBytes = (x) =>
  shuffle(
    x,
    splat(i32(0)),
    FOUR.flatMap((word) => FOUR.map((byte) => 4 * word + 3 - byte)),
  )

/** Columns of the four vectors `rows`, by way of the locals `spare`: statements, then the columns as expressions. */
function transpose(rows, spare) {
  const [a, b, c, d, lowAb, highAb, lowCd, highCd] = spare
  const halves = (x, y, four) => shuffle(local(x), local(y), lanes(four))
  return {
    before: [
      rows.map((row, at) => setLocal(spare[at], row)),
      setLocal(lowAb, halves(a, b, [0, 4, 1, 5])),
      setLocal(highAb, halves(a, b, [2, 6, 3, 7])),
      setLocal(lowCd, halves(c, d, [0, 4, 1, 5])),
      setLocal(highCd, halves(c, d, [2, 6, 3, 7])),
    ],
    columns: [
      halves(lowAb, lowCd, [0, 1, 4, 5]),
      halves(lowAb, lowCd, [2, 3, 6, 7]),
      halves(highAb, highCd, [0, 1, 4, 5]),
      halves(highAb, highCd, [2, 3, 6, 7]),
    ],
  }
}

/** Function 3, `hashPairs(bytes)`: each 64 bytes of ROW below `bytes` become the 32 of their node hash, four pairs at a time. */
function hashPairs() {
  const [end, from, to, i] = [0, 1, 2, 3]
  const last = [4, 5, 6, 7]
  const spare = [8, 9, 10, 11, 12, 13, 14, 15]
  // The first block: 0x01 and all of the pair but its last byte. Read from one byte before, in whose place the 0x01 comes.
  const firstBlock = FOUR.map((quarter) => {
    const rows = FOUR.map((lane) => swapBytes(load(local(from), ROW - 1 + 64 * lane + 16 * quarter)))
    const { before, columns } = transpose(rows, spare)
    return [before, columns.map((column, at) => store(start, SCHEDULE + 16 * (4 * quarter + at), column))]
  })
  const marked = or(and(load(start, SCHEDULE), splat(i32(0x00ffffff))), splat(i32(0x01000000)))
  const lastBlock = transpose(
    last.map((row) => load(local(row), LAST)),
    spare,
  )
  const result = [0, 4].map((half) => {
    const rows = FOUR.map((at) => load(start, STATE + 16 * (half + at)))
    const { before, columns } = transpose(rows, spare)
    return [before, columns.map((column, lane) => store(local(to), ROW + 32 * lane + 4 * half, swapBytes(column)))]
  })
  return {
    name: "hashPairs",
    parameters: [I32],
    locals: [
      { count: 7, type: I32 },
      { count: 8, type: V128 },
    ],
    body: count(
      from,
      { step: 256, end: local(end) },
      INITIAL.map((word, at) => store(start, STATE + 16 * at, splat(i32(word)))),
      firstBlock,
      store(start, SCHEDULE, marked),
      call(0),
      call(1),
      last.map((row, lane) => setLocal(row, i32Shl(i32Load8(local(from), ROW + 64 * lane + 63), 8))),
      setLocal(i, start),
      count(
        i,
        { step: 64, end: i32(64 * 16) },
        lastBlock.before,
        lastBlock.columns.map((column, at) => store(local(i), SCHEDULE + 16 * at, column)),
        last.map((row) => setLocal(row, i32Add(local(row), i32(16)))),
      ),
      call(1),
      result,
      setLocal(to, i32Add(local(to), i32(128))),
    ),
  }
}

const littleEndian = (word) => [0, 8, 16, 24].map((bits) => (word >>> bits) & 255)

/** The module as TypeScript. */
export function formatModule() {
  const bytes = assembleModule({
    pages: PAGES,
    functions: [schedule(), compress(), prepare(), hashPairs()],
    data: ROUND_CONSTANTS.flatMap(littleEndian),
  })
  const text = Buffer.from(bytes).toString("base64")
  return `// Written by scripts/sha256-wasm.mjs, which says what is in it. Do not edit.

/** Address of the row of hashes in the module's memory. */
export const ROW_ADDRESS = ${ROW}
/** Hashes that the row has room for. */
export const ROW_HASHES = ${ROW_HASHES}
/** The module, base64. */
export const SHA256_WASM =
  "${text}"
`
}

const script = fileURLToPath(import.meta.url)
if (process.argv[1] === script) {
  writeFileSync(fileURLToPath(new URL("../src/core/sha256-wasm.ts", import.meta.url)), formatModule())
}
