// Plays many cells, some at a time, and says of which the answer is not the one that is expected. A cell that only waits makes room for others.
import { type Cell, expectedOf, nameOf, type Outcome } from "./cells.js"
import type { World } from "./run-cell.js"

/** How many cells work at a time. More would make the time limits of slow cells a matter of luck. */
const LANES = 8

const format = ({ verdict, reason, changes }: Outcome): string =>
  [reason === null ? verdict : `${verdict}(${reason})`, ...changes].join("; ")

/** What is wrong, a line for each cell that is not as expected. */
export async function playCells(world: World, cells: readonly Cell[]): Promise<readonly string[]> {
  const wrong: string[] = []
  const waiting: Promise<void>[] = []
  let free = LANES
  let wake = () => {}
  for (const cell of cells) {
    while (free === 0)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    free--
    waiting.push(
      playInLane(world, cell, wrong, () => {
        free++
        wake()
      }),
    )
  }
  await Promise.all(waiting)
  return wrong.toSorted()
}

async function playInLane(world: World, cell: Cell, wrong: string[], release: () => void): Promise<void> {
  let isReleased = false
  const leave = () => {
    if (!isReleased) release()
    isReleased = true
  }
  try {
    const { outcome, detail, faults } = await world.play(cell, leave)
    const [expected, got] = [format(expectedOf(cell)), format(outcome)]
    if (expected !== got) wrong.push(`${nameOf(cell)}: expected ${expected}, got ${got} (${detail})`)
    for (const fault of faults) wrong.push(`${nameOf(cell)}: ${fault}`)
  } catch (error) {
    wrong.push(`${nameOf(cell)}: ${error instanceof Error ? error.stack : error}`)
  } finally {
    leave()
  }
}
