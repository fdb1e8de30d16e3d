// A log's head at the reader's time: witnesses that say they signed later than now are not counted for the quorum.
import { expect, test } from "vitest"
import { openLogClient } from "../../src/client/open-log.js"
import { makeCompleteLog, memoryLog } from "../fakes/complete-log.js"
import { MemoryState } from "../fakes/memory-state.js"

test("a log whose witnesses all signed in the future is refused until then", async () => {
  const { store, root } = await makeCompleteLog()
  const open = (nowSec: number) =>
    openLogClient({ source: memoryLog(store.files), roots: [root], state: new MemoryState(), clock: () => nowSec })
  const { ageSec } = await open(1_796_083_300) // its witnesses cosigned from 1796083200 on
  expect(ageSec).toBeLessThanOrEqual(100)
  await expect(open(1_796_000_000)).rejects.toMatchObject({ code: "QUORUM_NOT_MET" })
})
