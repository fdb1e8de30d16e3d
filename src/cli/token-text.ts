// Token cost as a line for people: an estimate, and named one.
import type { TokenCost } from "../surface/token-cost.js"

/** `about 2100 tokens before, 2300 now (+420, -220; estimate: …)`. */
export const describeCost = ({ before, after, added, removed, method }: TokenCost): string =>
  `about ${before} tokens before, ${after} now (+${added}, -${removed}; ${method})`
