// Damage on the client's own side, which is nobody's lie and never a fork; and servers that misbehave whatever the bytes are.
import type { HttpTrick, Lie } from "./lie.js"
import { liesOf } from "./lie.js"

const GO_38348 = "golang/go#38348"

const DAMAGE = liesOf({ kind: "damage", step: "state" }, [
  {
    name: "state-zeroed",
    says: "a state file of 187 zero bytes, as a power cut leaves it",
    from: GO_38348,
    tell: (draft) => {
      draft.state = new Uint8Array(187)
    },
  },
  {
    name: "state-truncated",
    says: "a state file without its second half",
    from: GO_38348,
    tell: (draft) => {
      draft.state = draft.world.state.slice(0, draft.world.state.length / 2)
    },
  },
  {
    name: "state-empty",
    says: "a state file without a byte",
    from: GO_38348,
    tell: (draft) => {
      draft.state = new Uint8Array(0)
    },
  },
  {
    name: "state-head-changed",
    says: "a state file in which one digit of the remembered head is another",
    from: GO_38348,
    tell: (draft) => {
      const text = new TextDecoder().decode(draft.world.state)
      const { size } = draft.world.heads.seen
      draft.state = new TextEncoder().encode(text.replaceAll(`\\n${size}\\n`, `\\n${size - 1n}\\n`))
    },
  },
  {
    name: "lockfile-truncated",
    says: "a lockfile without its second half",
    from: GO_38348,
    tell: (draft) => {
      draft.lockfile = draft.lockfile.slice(0, draft.lockfile.length / 2)
    },
  },
  {
    name: "lockfile-proof-changed",
    says: "a lockfile in which one character of the proof is another: what lies in a cache is not proven yet",
    from: "sigstore/sigstore-rust#179",
    tell: (draft) => {
      draft.lockfile = draft.lockfile.replace(
        /("proof": ")(.)/,
        (_, before, first) => before + (first === "A" ? "B" : "A"),
      )
    },
  },
])

const tricks: readonly { readonly how: HttpTrick; readonly paths: RegExp; readonly says: string }[] = [
  { how: "drip", paths: /^checkpoint$/, says: "the checkpoint, a byte a second" },
  { how: "stall", paths: /^tile\//, says: "no answer to any tile" },
  { how: "endless", paths: /^tile\//, says: "tiles without end" },
  { how: "bomb", paths: /^tile\/entries\//, says: "entries in gzip that inflate to gigabytes" },
  { how: "elsewhere", paths: /^checkpoint$/, says: "a redirect to another host" },
  { how: "loop", paths: /^keyring\//, says: "redirects that lead to themselves" },
  { how: "page", paths: /./, says: "a page of HTML with status 200 for everything" },
  { how: "failing", paths: /^tile\//, says: "status 500 for every tile" },
]

const HTTP: readonly Lie[] = tricks.map(({ how, paths, says }) => ({
  name: `http-${how}`,
  kind: "lie",
  step: "limits",
  from: "SECURITY.md: a log host that redirects, floods or drips",
  says,
  tell: (draft) => {
    draft.trick = { how, paths }
  },
}))

const HARMLESS = liesOf({ kind: "harmless", step: "tiles", from: "C2SP tlog-tiles" }, [
  {
    name: "http-stale404",
    says: "404 for every tile from a cache that was asked too early, and the tile when it is asked to look again",
    tell: (draft) => {
      draft.trick = { how: "stale404", paths: /^tile\// }
    },
  },
])

/** Damage of the client's own files. */
export const CLIENT_DAMAGE: readonly Lie[] = DAMAGE
/** What only a server does. */
export const HTTP_LIES: readonly Lie[] = [...HTTP, ...HARMLESS]
