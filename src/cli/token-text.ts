// Token cost, as a member of documents and as a line for people: an estimate, and named one.
import type { JsonObject } from "../core/json.js"
import { TOKEN_COST_METHOD, type TokenCost } from "../surface/token-cost.js"

/** With how it came about. */
export const costMember = (cost: TokenCost): JsonObject => ({ ...cost, method: TOKEN_COST_METHOD })

/** The same for people. */
export const describeCost = ({ before, after, added, removed }: TokenCost): string =>
  `about ${before} tokens before, ${after} now (+${added}, -${removed}; ${TOKEN_COST_METHOD})`
