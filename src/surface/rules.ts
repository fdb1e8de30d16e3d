// Every rule by its id, with the words that reports show. Ids are promises: one is never given another meaning.
import { CLASS_RULES } from "./classify/rules.js"
import type { Rule } from "./finding.js"
import { CHANGE_RULES } from "./grade/rules.js"
import { LINT_RULES } from "./lint/rules.js"
import { TEXT_RULES } from "./text/rules.js"

/** Version of all rules together, moved with any change of what a rule finds or how grave it is. */
export const RULESET_VERSION = "1"

/** All rules. */
export const RULES: Readonly<Record<string, Rule>> = { ...CHANGE_RULES, ...TEXT_RULES, ...LINT_RULES, ...CLASS_RULES }
