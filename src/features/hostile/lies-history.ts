// Lies about the past: trees that do not extend what was seen before, and bytes that do not belong to the signed tree. Forks are signed and
// cosigned like true heads: witnesses that a log has won over sign anything.
import { concatBytes, encodeUtf8 } from "../../core/bytes.js"
import { hashLeaf } from "../../core/hash.js"
import { MAX_KEYRING_BYTES } from "../../core/keyring.js"
import { formatBundle, formatTilePath, parseBundle, TILE_WIDTH } from "../../core/tile.js"
import { forgeTree } from "./forge.js"
import {
  bundleOf,
  type Draft,
  edit,
  flipBit,
  goBack,
  type Lie,
  lastBundleOf,
  lastTileOf,
  liesOf,
  publish,
  putText,
  replaceTree,
  tileOf,
  withhold,
} from "./lie.js"

const RFC_9162 = "RFC 9162 §2.1.4"
const TILES = "C2SP tlog-tiles"

/** The first `size` entries of the log, of which that at `at` is another one. */
function branch({ world }: Draft, at: bigint, size: bigint): readonly Uint8Array[] {
  const entries = world.entries.slice(0, Number(size))
  entries[Number(at)] = encodeUtf8("another-type/v1\nanother story\n")
  return entries
}

const MEMORY = liesOf({ kind: "lie", step: "memory" }, [
  {
    name: "fork-equal-size",
    says: "another tree of exactly the size that the client remembers",
    from: "Venafi, TrustAsia: C2SP/C2SP#79",
    tell: (draft) => {
      const { seen } = draft.world.heads
      replaceTree(draft, branch(draft, seen.size - 1n, seen.size))
    },
  },
  {
    name: "fork-larger",
    says: "a larger tree in which an entry that the client has seen is another one",
    from: RFC_9162,
    tell: (draft) => {
      const { seen, now } = draft.world.heads
      replaceTree(draft, branch(draft, seen.size - 1n, now.size))
    },
  },
  {
    name: "history-rewritten",
    says: "a larger tree from which the pinned record is gone",
    from: RFC_9162,
    tell: (draft) => replaceTree(draft, branch(draft, draft.world.pinned.index, draft.world.heads.now.size)),
  },
  {
    name: "rollback",
    says: "an older true head than the client has seen, days after it saw that: a backup that was put back",
    from: "bytecodealliance/registry#239",
    tell: goBack,
  },
  {
    name: "branch-from-the-past",
    says: "a smaller tree than was seen, which goes on differently after an older head",
    from: RFC_9162,
    tell: (draft) => {
      const { early, seen } = draft.world.heads
      replaceTree(draft, branch(draft, early.size + 1n, seen.size - 5n))
    },
  },
  {
    name: "empty-again",
    says: "a signed tree of size 0: the log starts anew under its old keys",
    from: RFC_9162,
    tell: (draft) => publish(draft, forgeTree([]).headAt(0n)),
  },
])

const TREE = liesOf({ kind: "lie", step: "tiles" }, [
  {
    name: "node-as-entry",
    says: "an entry that is the two halves of an inner node, which hashes to that node where leaves have no prefix",
    from: "second preimage, RFC 9162 §2.1.1",
    tell: (draft) => {
      const { pinned, entries } = draft.world
      const at = Number(pinned.index - (pinned.index % 2n))
      const [left, right] = [entries[at], entries[at + 1]]
      if (left === undefined || right === undefined) throw new RangeError("the pinned record has a neighbour")
      replaceEntry(draft, pinned.index, concatBytes(hashLeaf(left), hashLeaf(right)))
    },
  },
  {
    name: "entries-swapped",
    says: "a true entry of the log at an index that is another one's",
    from: "RFC 9162 §2.1.3",
    tell: (draft) => replaceEntry(draft, draft.world.pinned.index, draft.world.entries[300] ?? new Uint8Array(0)),
  },
  {
    name: "entry-changed",
    says: "the pinned record with another digest of the tools",
    from: TILES,
    tell: (draft) => {
      const { index, text } = draft.world.pinned
      replaceEntry(draft, index, encodeUtf8(text.replace(/^(tools \d+ sha256:)./m, "$1x")))
    },
  },
  {
    name: "entry-changed-elsewhere",
    says: "an entry that is nobody's pin and changed since it was signed",
    from: TILES,
    tell: (draft) => replaceEntry(draft, 700n, encodeUtf8("another-type/v1\nnobody looks\n")),
  },
  {
    name: "entry-too-many",
    says: "a full bundle with an unlogged record behind its 256 entries",
    from: "CVE-2026-56864, golang/go#80745",
    tell: (draft) => {
      const { index, text } = draft.world.pinned
      const unlogged = encodeUtf8(text.replace(/^tools .*$/m, "tools none"))
      editBundle(draft, index, (entries) => void entries.push(unlogged))
    },
  },
  {
    name: "entry-too-few",
    says: "a bundle without its last entry",
    from: TILES,
    tell: (draft) => editBundle(draft, draft.world.pinned.index, (entries) => void entries.pop()),
  },
  {
    name: "leaf-hash-bit",
    says: "a leaf hash with a flipped bit that the log signed over: its own disk failed it",
    from: "Yeti 2022 (ct-policy)",
    tell: (draft) => {
      const entries = [...draft.world.entries, encodeUtf8("another-type/v1\nflipped\n")]
      const hashes = entries.map(hashLeaf)
      const last = hashes.pop() ?? new Uint8Array(0)
      const tree = forgeTree(entries, [...hashes, flipBit(0)(last)])
      for (const [path, bytes] of tree.files) draft.files.set(path, bytes)
      publish(draft, tree.headAt(BigInt(entries.length)))
    },
  },
  {
    name: "tile-bit",
    says: "a tile with one bit flipped",
    from: TILES,
    tell: (draft) => edit(draft, tileOf(draft.world.pinned.index), flipBit(40)),
  },
  {
    name: "tile-truncated",
    says: "a tile without its last bytes",
    from: TILES,
    tell: (draft) => edit(draft, tileOf(0n), (bytes) => bytes.slice(0, -7)),
  },
  {
    name: "tile-extra-hash",
    says: "a partial tile with one hash too many",
    from: TILES,
    tell: (draft) =>
      edit(draft, lastTileOf(draft.world.heads.now), (bytes) => concatBytes(bytes, new Uint8Array(32).fill(5))),
  },
  {
    name: "high-tile-changed",
    says: "a tile of a higher level with another hash in it",
    from: TILES,
    tell: (draft) => edit(draft, highTileOf(draft), flipBit(0)),
  },
  {
    name: "partial-contradicts-full",
    says: "a partial tile of an older head that is not how the full one begins",
    from: TILES,
    tell: (draft) => edit(draft, lastTileOf(draft.world.heads.seen), flipBit(3)),
  },
  {
    name: "partial-bundle-contradicts-full",
    says: "a partial bundle of an older head with another entry than the full one",
    from: TILES,
    tell: (draft) => edit(draft, lastBundleOf(draft.world.heads.seen), flipBit(60)),
  },
  {
    name: "delayed-put",
    says: "an older partial tile in the place of the full one: a write that came late",
    from: "FiloSottile/sunlight#13",
    tell: (draft) => {
      const { files, world } = draft
      edit(draft, tileOf(world.heads.seen.size), () => files.get(lastTileOf(world.heads.seen)) ?? new Uint8Array(0))
    },
  },
  {
    name: "tile-missing",
    says: "a signed tree whose tile is not there",
    from: TILES,
    tell: (draft) => withhold(draft, tileOf(0n)),
  },
  {
    name: "entries-missing",
    says: "a signed tree whose entries are not there: a queue that was lost",
    from: "Mammoth 2024h1, StartCom: C2SP/C2SP#79",
    tell: (draft) => withhold(draft, bundleOf(draft.world.pinned.index)),
  },
  {
    name: "newest-404",
    says: "404 for the tile and the entries that only the newest head has, as a cache keeps it that was asked too early",
    from: TILES,
    tell: (draft) => {
      withhold(draft, lastTileOf(draft.world.heads.now))
      withhold(draft, lastBundleOf(draft.world.heads.now))
    },
  },
])

const CHAIN_BYTES = liesOf({ kind: "lie", step: "limits", from: "SECURITY.md" }, [
  {
    name: "oversize-keyring",
    says: "a keyring longer than any that is read",
    tell: (draft) => putText(draft, `keyring/${draft.world.keyrings.length + 1}`, "x".repeat(MAX_KEYRING_BYTES + 1)),
  },
])

const HARMLESS = liesOf({ kind: "harmless", step: "tiles", from: TILES }, [
  {
    name: "partials-collected",
    says: "no partial tiles but those of the newest head: a log may remove them once the full ones are there",
    tell: (draft) => {
      const kept = forgeTree(draft.world.entries).files
      for (const path of draft.files.keys()) if (path.includes(".p/") && !kept.has(path)) draft.files.delete(path)
    },
  },
])

/** Lies about history and tree. */
export const HISTORY_LIES: readonly Lie[] = [...MEMORY, ...TREE, ...CHAIN_BYTES, ...HARMLESS]

/** A tile above the leaves: the full one, where the tree is large enough. */
function highTileOf({ files, world }: Draft): string {
  const full = formatTilePath({ level: 1, index: 0n, width: TILE_WIDTH })
  const width = Number(world.heads.now.size / BigInt(TILE_WIDTH))
  return files.has(full) ? full : formatTilePath({ level: 1, index: 0n, width })
}

/** Serve other entries than a full bundle has. */
const editBundle = (draft: Draft, index: bigint, change: (entries: Uint8Array[]) => void): void =>
  edit(draft, bundleOf(index), (bytes) => {
    const entries = [...parseBundle(bytes, TILE_WIDTH)]
    change(entries)
    return concatBytes(...entries.map((entry) => formatBundle([entry])))
  })

/** Serve another entry than the one that the tree has at `index`. */
const replaceEntry = (draft: Draft, index: bigint, entry: Uint8Array): void =>
  editBundle(draft, index, (entries) => {
    entries[Number(index % BigInt(TILE_WIDTH))] = entry
  })
