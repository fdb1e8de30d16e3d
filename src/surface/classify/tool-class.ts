// What is said of a tool by its class: the class from R0 to R5, the kinds of what it does, and every reason for both.
import type { Tier } from "../../core/tier.js"
import type { Place } from "../finding.js"

/** What a tool does, beside its class; several or none. */
export type Kind = "read_sensitive" | "egress" | "write" | "destructive" | "code_exec"

/** Why a tool has a class: one signal, at its place. */
export interface ClassReason extends Place {
  readonly rule: string
  readonly tier: Tier
  readonly kinds: readonly Kind[]
  readonly message: string
}

/** A signal before it is known whose it is. */
export type Signal = Omit<ClassReason, "section" | "item">

/** Whether what a tool changes can be undone: a concurrency token was seen, the text says so, or neither. */
export type Reversibility = "verified" | "asserted" | "unverifiable"

/** The class of one tool. `found`: what it would be without an override; `reasons`: gravest first. */
export interface ToolClass {
  readonly item: string | null
  readonly tier: Tier
  readonly found: Tier
  readonly kinds: readonly Kind[]
  readonly reasons: readonly ClassReason[]
  /** Null below R3. */
  readonly reversibility: Reversibility | null
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
