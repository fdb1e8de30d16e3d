// What a tool can do, read from its schema, name, text and annotations: a class from R0 to R5 and kinds, with reasons.
import type { Surface } from "../../core/section.js"
import type { Tier } from "../../core/tier.js"
import type { Place } from "../finding.js"

export { TIERS, type Tier } from "../../core/tier.js"

/** What a tool does, beside its class; several or none. */
export type Kind = "read_sensitive" | "egress" | "write" | "destructive" | "code_exec"

/** Why a tool has a class: one signal, at its place. */
export interface ClassReason extends Place {
  readonly rule: string
  readonly tier: Tier
  readonly kinds: readonly Kind[]
  readonly message: string
}

/** The class of one tool. `found`: what it would be without an override; `reasons`: gravest first. */
export interface ToolClass {
  readonly item: string | null
  readonly tier: Tier
  readonly found: Tier
  readonly kinds: readonly Kind[]
  readonly reasons: readonly ClassReason[]
  /** For R3 and above: a concurrency token was seen, the text says so, or neither. */
  readonly reversibility: "verified" | "asserted" | "unverifiable" | null
  /** Why it was lowered. */
  readonly override: ClassOverride | null
}

/** A person's word that a tool's class is another, until a day. */
export interface ClassOverride {
  readonly tool: string
  readonly tier: Tier
  readonly reason: string
  /** Last day on which it counts, YYYY-MM-DD (UTC). */
  readonly until: string
}

/** The classes of a surface. */
export interface SurfaceClasses {
  readonly tools: readonly ToolClass[]
  /** Tools by which something sensitive could be read and sent out; null where one of both is missing. */
  readonly chain: { readonly reads: readonly string[]; readonly sends: readonly string[] } | null
}

/** Classify every tool of a surface. `overrides` are those that count today. Total. */
export function classifySurface(surface: Surface, overrides: readonly ClassOverride[]): SurfaceClasses {
  void surface
  void overrides
  return { tools: [], chain: null }
}
