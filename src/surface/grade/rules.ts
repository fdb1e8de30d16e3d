import type { Rule } from "../finding.js"

/** Rules of this folder by id. */
export const CHANGE_RULES: Readonly<Record<string, Rule>> = {}
