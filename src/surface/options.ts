// What an analysis is told beside the surface: the other servers of the user, and what a person said of single tools.
import type { Surface } from "../core/section.js"
import type { ClassOverride } from "./classify/classify.js"

/** Another server whose tools are offered beside this one's. */
export interface OtherServer {
  readonly name: string
  readonly surface: Surface
}

/** What is known beside the surface. */
export interface AnalysisOptions {
  /** The servers of the same lockfile, for shadowing and look-alike names. */
  readonly others?: readonly OtherServer[]
  /** Those that count today, one of a tool. */
  readonly overrides?: readonly ClassOverride[]
  /** Those whose last day is over: told, and nothing else. */
  readonly expiredOverrides?: readonly ClassOverride[]
}
