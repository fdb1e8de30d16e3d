// All tiles of a tree, for tests that look at each: the product only ever asks for the tile of one node.
import { TILE_WIDTH, type TileRef } from "../../src/core/tile.js"

const WIDTH = BigInt(TILE_WIDTH)

/** Tiles of a tree of `size`, level by level, left to right. Those of level 0 are the bundles too: same indexes and widths. */
export function* tilesForSize(size: bigint): Generator<TileRef> {
  for (let level = 0, count = size; count > 0n; level++, count /= WIDTH) {
    for (let index = 0n; index * WIDTH < count; index++) {
      const left = count - index * WIDTH
      yield { level, index, width: left < WIDTH ? Number(left) : TILE_WIDTH }
    }
  }
}
