// The State port in memory, with failures on request.
import { equalBytes } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import type { LogIdentity, State } from "../../src/ports.js"

export class MemoryState implements State {
  readonly stored = new Map<string, Uint8Array>()
  /** Fails every read, every write, or nothing. */
  broken: "read" | "write" | null = null
  /** Called before each swap, once: another process may come in between. */
  meanwhile: (() => Promise<void>) | null = null
  swaps = 0

  placeOf = ({ origin }: LogIdentity): string => `memory of ${origin}`

  async newest(log: LogIdentity): Promise<Uint8Array | null> {
    if (this.broken === "read") throw new ToolsumError("IO_FAILED", "no state")
    return this.stored.get(keyOf(log)) ?? null
  }

  async compareAndSwap(log: LogIdentity, expected: Uint8Array | null, next: Uint8Array): Promise<boolean> {
    if (this.broken !== null) throw new ToolsumError("IO_FAILED", "no state")
    const meanwhile = this.meanwhile
    this.meanwhile = null
    await meanwhile?.()
    const now = this.stored.get(keyOf(log)) ?? null
    if (now === null || expected === null ? now !== expected : !equalBytes(now, expected)) return false
    this.swaps++
    this.stored.set(keyOf(log), next)
    return true
  }
}

const keyOf = ({ origin, root }: LogIdentity) => `${origin} ${root}`
