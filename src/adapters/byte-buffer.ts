// Gathers the bytes of a message that comes in pieces, as small as its sender likes: what it costs depends on the bytes alone.

/** Gathers bytes. Many small pieces cost no more than one large one. */
export interface ByteBuffer {
  readonly length: () => number
  readonly push: (bytes: Uint8Array) => void
  /** All bytes so far; the buffer is empty afterwards. */
  readonly take: () => Uint8Array
}

/** An empty buffer. */
export function createByteBuffer(): ByteBuffer {
  let bytes = new Uint8Array(0)
  let length = 0
  return {
    length: () => length,
    push: (more) => {
      if (length + more.length > bytes.length) {
        const wider = new Uint8Array(Math.max(2 * bytes.length, length + more.length))
        wider.set(bytes.subarray(0, length))
        bytes = wider
      }
      bytes.set(more, length)
      length += more.length
    },
    take: () => {
      const taken = bytes.slice(0, length)
      bytes = new Uint8Array(0)
      length = 0
      return taken
    },
  }
}
