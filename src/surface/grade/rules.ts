import type { Rule } from "../finding.js"
import { ITEM_RULES } from "./item-rules.js"
import { MEMBER_RULES } from "./member-rules.js"
import { SCHEMA_RULES } from "./schema-rules.js"

/** Rules of this folder by id. */
export const CHANGE_RULES: Readonly<Record<string, Rule>> = { ...ITEM_RULES, ...MEMBER_RULES, ...SCHEMA_RULES }
