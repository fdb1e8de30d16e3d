// Assembles WebAssembly (core specification 2.0, section 5: binary format) of the few instructions that sha256-wasm.mjs needs.
// An expression is the list of bytes that leave one value on the stack, a statement one that leaves none; lists may be nested.

/** Unsigned LEB128. */
function unsigned(value) {
  const bytes = []
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128)
  return [...bytes, rest]
}

/** Signed LEB128 of 32 bits. */
function signed(value) {
  const bytes = []
  let rest = value
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 127) | 128)
  return [...bytes, rest & 127]
}

const vector = (items) => [unsigned(items.length), ...items].flat(Infinity)
const sized = (bytes) => [...unsigned(bytes.length), ...bytes]
const name = (text) => vector([...text].map((letter) => letter.charCodeAt(0)))

export const I32 = 0x7f
export const V128 = 0x7b

export const local = (index) => [0x20, unsigned(index)]
export const setLocal = (index, value) => [value, 0x21, unsigned(index)]
export const call = (index) => [0x10, unsigned(index)]
/** Run `body` again and again while `condition`, which comes after it, is not 0. */
export const loopWhile = (condition, ...body) => [0x03, 0x40, body, condition, 0x0d, 0, 0x0b]

export const i32 = (value) => [0x41, signed(value | 0)]
export const i32Add = (a, b) => [a, b, 0x6a]
export const i32Shl = (a, bits) => [a, i32(bits), 0x74]
export const i32ShrU = (a, bits) => [a, i32(bits), 0x76]
export const i32LtU = (a, b) => [a, b, 0x49]
export const i32Load8 = (address, offset) => [address, 0x2d, 0, unsigned(offset)]

const simd = (opcode, ...operands) => [operands, 0xfd, unsigned(opcode)]
// Alignment 1: hashes lie anywhere.
const memory = (opcode, address, offset) => [address, 0xfd, unsigned(opcode), 0, unsigned(offset)]
export const load = (address, offset) => memory(0, address, offset)
export const store = (address, offset, value) => memory(11, [address, value], offset)
/** One 32-bit word in all four lanes. */
export const loadSplat = (address, offset) => memory(9, address, offset)
export const storeLane = (address, offset, value, lane) => [memory(90, [address, value], offset), lane]
export const splat = (value) => simd(17, value)
/** A vector of four 32-bit words. */
export const words = (four) => [0xfd, 12, four.map((word) => [0, 8, 16, 24].map((bits) => (word >>> bits) & 255))]
/** Bytes of `a` (0 to 15) and `b` (16 to 31) in the order of `lanes`. */
export const shuffle = (a, b, lanes) => [a, b, 0xfd, 13, lanes]
export const and = (a, b) => simd(78, a, b)
export const or = (a, b) => simd(80, a, b)
export const xor = (a, b) => simd(81, a, b)
/** Bits of `a` where `mask` has ones, else of `b`. */
export const select = (a, b, mask) => simd(82, a, b, mask)
export const shl = (a, bits) => simd(171, a, i32(bits))
export const shrU = (a, bits) => simd(173, a, i32(bits))
export const add = (a, b) => simd(174, a, b)

const section = (id, items) => [id, ...sized(vector(items))]
const bodyOf = ({ locals, body }) =>
  sized([...vector(locals.map(({ count, type }) => [unsigned(count), type])), ...[body].flat(Infinity), 0x0b])

/**
 * Bytes of a module with one exported memory of `pages`. `functions`: parameter types, locals and body of each, no results; the one with
 * `start` runs when the module is instantiated, those with `name` are exported. `data`: bytes of the memory from address 0.
 */
export function assembleModule({ pages, functions, data }) {
  const named = functions.flatMap((one, i) => (one.name === undefined ? [] : [[name(one.name), 0, unsigned(i)]]))
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(
      1,
      functions.map(({ parameters }) => [0x60, vector(parameters), 0]),
    ),
    ...section(
      3,
      functions.map((_, i) => unsigned(i)),
    ),
    ...section(5, [[0, unsigned(pages)]]),
    ...section(7, [[name("memory"), 2, 0], ...named]),
    ...[8, ...sized(unsigned(functions.findIndex(({ start }) => start)))],
    ...section(10, functions.map(bodyOf)),
    ...section(11, [[0, i32(0), 0x0b, vector(data)]]),
  ])
}
