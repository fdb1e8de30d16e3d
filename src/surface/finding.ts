// What can be said about a place in a surface: an observation of one rule, never a judgement on a server. Pure data; rules.ts names the
// rules, the folders text, lint, classify and grade make the findings.
import type { SectionName } from "../core/item.js"
import type { Severity } from "../core/severity.js"

/** A place in a surface. `capabilities`, `protocol` and `version` are what no digest covers. */
export interface Place {
  readonly section: SectionName | "instructions" | "server" | "capabilities" | "protocol" | "version"
  /** Key of the item; null for a nameless one and where there are no items. */
  readonly item: string | null
  /** RFC 6901 pointer inside the item (or the instructions, serverInfo, …); "" is the whole. */
  readonly pointer: string
}

/** One observation. */
export interface Finding extends Place {
  /** Id of the rule, a key of RULES. */
  readonly rule: string
  readonly severity: Severity
  /** One line in our words, lower case, no full stop; server text in it is quoted and clipped. */
  readonly message: string
  /** Invisible text made readable. */
  readonly decoded?: string
  /** The name that a look-alike resembles. */
  readonly like?: string
  /** The other tool of a pair in one server. */
  readonly other?: string
  /** The tool of another server, as `server/tool`. */
  readonly target?: string
}

/** What one difference means. Several may stand on one `Change` of a diff (each name that leaves `required`), and one on many. */
export interface ChangeFinding extends Finding {
  /** Name or value that came or went in `required` or `enum`. */
  readonly member?: string
  /** Earlier name of what was renamed. */
  readonly was?: string
  /** Pointers of the changes of the diff, in the same item, that it accounts for. */
  readonly covers: readonly string[]
}

/** A rule: what it looks for and why, for reports. */
export interface Rule {
  /** A few words. */
  readonly title: string
  /** One to three sentences: what was seen, why it matters, what to look at. */
  readonly help: string
  /** Gravest severity it is given. */
  readonly severity: Severity
}
