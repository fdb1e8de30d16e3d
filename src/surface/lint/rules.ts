import type { Rule } from "../finding.js"

/** Rules of this folder by id. */
export const LINT_RULES: Readonly<Record<string, Rule>> = {}
