// What a tool can do, as one of six classes. Names are promises: settings and reports are written with them.

/** R0 inert, R1 reads, R2 reads what is sensitive, R3 writes, R4 egress, R5 irreversible or runs code. */
export const TIERS = ["R0", "R1", "R2", "R3", "R4", "R5"] as const
/** One of them. */
export type Tier = (typeof TIERS)[number]
