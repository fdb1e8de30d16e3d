// Surfaces for tests of texts: one tool, or whatever is given, read as from a server.
import { parseJson } from "../../../src/core/json.js"
import { parseSurface, type Surface } from "../../../src/core/section.js"
import type { Finding } from "../../../src/surface/finding.js"
import { findInTexts } from "../../../src/surface/text/find-in-texts.js"

export const readSurface = (value: unknown): Surface => parseSurface(parseJson(JSON.stringify(value)))

/** Tools with one description in question, and two more that it may speak of. */
export const toolsWith = (description: string): unknown => ({
  tools: [
    {
      name: "get_page",
      description,
      inputSchema: { type: "object", properties: { url: { type: "string" }, note: { type: "string" } } },
    },
    { name: "open_session", description: "Open a session.", inputSchema: { type: "object", properties: {} } },
  ],
  serverInfo: { name: "pages", version: "2.3.4" },
})

export const findIn = (value: unknown): readonly Finding[] => findInTexts(readSurface(value), {})

export const findInDescription = (description: string): readonly Finding[] => findIn(toolsWith(description))
