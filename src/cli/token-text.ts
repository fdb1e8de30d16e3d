// Token cost as a line for people: an estimate, and named one. How it is counted stands in --json, in --explain and in the README.
import type { TokenCost } from "../surface/token-cost.js"

/** `tokens: about 2100 before, 2300 now (estimate)`. */
export const describeCost = ({ before, after }: TokenCost): string =>
  `tokens: about ${before} before, ${after} now (estimate)`
