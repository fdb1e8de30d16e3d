// Bounds of lint, so that a list of any size and shape takes time in proportion to its size. What a bound leaves out is told.

/** Findings of one rule on one item; of more, `lint.cut` tells how many. */
export const MAX_FINDINGS_PER_ITEM = 20
/** Characters of a name that are split into words. */
export const MAX_NAME_CHARS = 200
/** Words of a name that are compared. */
export const MAX_NAME_WORDS = 12
/** Characters of a description that are read for wording. */
export const MAX_TEXT_CHARS = 4000
/** Words of a description that are compared. */
export const MAX_TEXT_WORDS = 400
/** Tools of like name or text that each tool is compared with. */
export const MAX_COMPARED = 20
/** Characters of a sentence that are read. */
export const MAX_SENTENCE_CHARS = 400
/** Properties of a schema that are compared. */
export const MAX_COMPARED_PROPERTIES = 500
/** Alternatives and references that are followed to learn what a property accepts. */
export const MAX_ALTERNATIVES = 32
