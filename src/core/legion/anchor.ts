// What a third party proves of a LEGION head: that it existed at some time. Two kinds of proof: anchor-ots.ts and anchor-rekor.ts. Both are
// about the bytes that the head's key signed. FORMAT.md, "LEGION dialect".

/** `verified`: the proof leads to what the user supplied. `pending`: only a promise so far. `unverified`: what it leads to was not supplied.
 *  `failed`: it proves something else, or cannot be read. `timeSec`: POSIX seconds by the third party. */
export type AnchorStatus =
  | { readonly status: "verified"; readonly timeSec: bigint; readonly detail: string }
  | { readonly status: "pending" | "unverified" | "failed"; readonly detail: string }

/** A `failed` anchor, and why. */
export const failedAnchor = (detail: string): AnchorStatus => ({ status: "failed", detail })
