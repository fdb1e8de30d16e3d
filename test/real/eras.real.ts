// A real server that speaks both eras of the protocol: it says the same in each, and what only the newer one has is read.
import { expect, test } from "vitest"
import { computeSurface, SECTION_NAMES } from "../../src/core/section.js"
import { readServer } from "./read-server.js"
import { listServers } from "./sets.js"

test.each(listServers("eras").map((server) => [server.id, server] as const))("%s", async (id, server) => {
  const command = `npx -y ${id}`
  const revisions = ["2026-07-28", "2025-11-25"]
  const lines = []
  for (const protocol of revisions) {
    const { reading, left } = await readServer(server, { command, env: {}, protocol })
    expect(left).toEqual([])
    expect(reading.failures).toEqual({})
    expect(reading.protocol).toBe(protocol)
    lines.push(computeSurface(reading.surface, SECTION_NAMES).lines)
  }
  expect(lines[0]?.tools).toMatch(/^[1-9][0-9]* sha256:/)
  expect(lines[0]).toEqual(lines[1])
})
