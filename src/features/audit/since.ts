// Where an audit starts: at the first entry, or with `--since` at the last full bundle of a head that the caller has audited before. The tree up
// to there comes from tiles that were proven under the audited head.
import { proveConsistency } from "../../client/prove.js"
import { createVerifiedTree } from "../../client/tiles.js"
import { concatBytes } from "../../core/bytes.js"
import { ToolsumError } from "../../core/errors.js"
import { TILE_HEIGHT, TILE_WIDTH } from "../../core/tile.js"
import type { LogSource } from "../../ports.js"
import type { Findings } from "./findings.js"
import type { SeenNote } from "./older-heads.js"
import type { AuditedHead } from "./open-head.js"
import { firstDifference } from "./tiles.js"
import { TreeHasher } from "./tree-hasher.js"

/** The first entry to read, a multiple of 256, and the tree before it. */
export interface StartingPoint {
  readonly position: number
  readonly tree: TreeHasher
}

/** Where to start. A head that is no proven prefix of the audited one is told of like every other head, and everything is read. */
export async function startFromHead(
  head: AuditedHead,
  { source, since, findings }: { source: LogSource; since: SeenNote | null; findings: Findings },
): Promise<StartingPoint> {
  const start = { position: 0, tree: new TreeHasher() }
  if (since === null) return start
  try {
    return (await startAfter(head, source, since)) ?? start
  } catch (error) {
    if (!(error instanceof ToolsumError)) throw error
    findings.add(
      "older_head_unread",
      since.from,
      `everything was read, since the head to start from could not be proven: ${error.message}`,
    )
    return start
  }
}

async function startAfter(head: AuditedHead, source: LogSource, { note }: SeenNote): Promise<StartingPoint | null> {
  const known = head.openNote(note)
  if (known.size > head.checkpoint.size) return null
  const tree = createVerifiedTree(source, head.checkpoint)
  const { older } = await proveConsistency(tree, known.size)
  if (firstDifference(older.rootHash, known.rootHash) >= 0) return null
  const position = Math.floor(Number(known.size) / TILE_WIDTH) * TILE_WIDTH
  const edge: Uint8Array[] = []
  for (let level = 1, count = position / TILE_WIDTH; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    const first = count - (count % TILE_WIDTH)
    const nodes = Array.from({ length: count % TILE_WIDTH }, (_, i) => ({
      level: TILE_HEIGHT * level,
      index: BigInt(first + i),
    }))
    const read = await tree.readNodes(nodes)
    edge.push(concatBytes(...nodes.map((node) => read(node.level, node.index))))
  }
  return { position, tree: TreeHasher.from(edge) }
}
