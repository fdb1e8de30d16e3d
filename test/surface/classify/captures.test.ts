// Classes of real tools: how many of each, and single ones that a person has looked at.
import { expect, test } from "vitest"
import { classifySurface } from "../../../src/surface/classify/classify.js"
import { describeShared } from "../../shared.js"
import { CAPTURES, readCapture } from "../captures.js"

describeShared("captured lists", () => {
  const found = CAPTURES.map((file) => ({ file, ...classifySurface(readCapture(file), []) }))

  test("how many tools are of each class", () => {
    const counts: Record<string, number> = {}
    for (const { tier } of found.flatMap(({ tools }) => tools)) counts[tier] = (counts[tier] ?? 0) + 1
    expect(counts).toEqual({ R0: 40, R1: 270, R2: 17, R3: 192, R4: 59, R5: 57 })
  })

  test.each([
    ["read_file", "R1"],
    ["edit_file", "R3"],
    ["create_entities", "R3"],
    ["search_nodes", "R1"],
    ["delete_entities", "R5"],
    ["slack_get_channel_history", "R2"],
    ["slack_post_message", "R4"],
    ["tavily_search", "R1"],
    ["web_fetch_exa", "R4"],
    ["puppeteer_evaluate", "R5"],
    ["get-env", "R2"],
    ["current_time", "R1"],
  ])("%s is %s in every version", (name, tier) => {
    const tools = found.flatMap((one) => one.tools).filter(({ item }) => item === name)
    expect(new Set(tools.map((tool) => tool.tier))).toEqual(new Set([tier]))
  })

  test("write_file is R5, and R3 by its name alone in the versions that show no parameters", () => {
    const tools = found.flatMap(({ file, tools }) => tools.map((tool) => ({ file, ...tool })))
    const milder = tools.filter(({ item, tier }) => item === "write_file" && tier !== "R5")
    expect(milder.map(({ file, tier }) => [file, tier])).toEqual([
      ["@modelcontextprotocol__server-filesystem@0.6.2.json", "R3"],
      ["@modelcontextprotocol__server-filesystem@2025.1.14.json", "R3"],
      ["@modelcontextprotocol__server-filesystem@2025.8.21.json", "R3"],
    ])
  })

  test("servers that can read what is sensitive and send it out", () => {
    const files = found.filter(({ chain }) => chain !== null).map(({ file }) => file.replace(/@[\d.]+\.json$/, ""))
    expect([...new Set(files)]).toEqual([
      "@modelcontextprotocol__server-everything",
      "@modelcontextprotocol__server-slack",
      "@notionhq__notion-mcp-server",
    ])
  })
})
