// What is high or above between real versions, each with our judgement: would a person who has to approve the later version want to be
// stopped for it? pairs.test.ts holds that there is nothing else, and prints how often the answer is no.

/** One of them. `agrees`: a person would want to be stopped. */
export interface Judgement {
  /** "package earlier -> later", as the captures are named. */
  readonly pair: string
  readonly item: string
  readonly pointer: string
  readonly rule: string
  readonly severity: "critical" | "high"
  readonly agrees: boolean
  readonly why: string
}

type Row = readonly [item: string, pointer: string, rule: string, agrees: boolean, why: string]

const high = (pair: string, ...rows: readonly Row[]): readonly Judgement[] =>
  rows.map(([item, pointer, rule, agrees, why]) => ({ pair, item, pointer, rule, severity: "high", agrees, why }))

const HINT = "annotations.hint-changed"
const READ = "/annotations/readOnlyHint"
const DESTROY = "/annotations/destructiveHint"

const admits = (item: string): readonly Row[] => [
  [item, READ, HINT, true, "was called without asking as a tool that only reads, and says now that it does not"],
  [item, DESTROY, HINT, true, "the same of destroying: both hints were taken back together"],
]

/** Every one of them, in order of pair, item and pointer. */
export const JUDGEMENTS: readonly Judgement[] = [
  ...high(
    "@playwright/mcp 0.0.38 -> 0.0.62",
    ...["browser_close", "browser_hover", "browser_navigate_back", "browser_resize"].flatMap(admits),
    ["browser_run_code", "", "tool.added", true, "runs code that the caller gives"],
  ),
  ...high("@playwright/mcp 0.0.68 -> 0.0.71", [
    "browser_tabs",
    "/inputSchema/properties/url",
    "schema.property-added",
    true,
    "a tool about tabs now opens any address",
  ]),
  ...high("@playwright/mcp 0.0.71 -> 0.0.76", [
    "browser_run_code_unsafe",
    "/name",
    "tool.renamed",
    true,
    "name and text now say that what runs is not contained",
  ]),
  ...high(
    "@modelcontextprotocol/server-everything 2025.9.25 -> 2026.1.26",
    ["get-env", "/name", "tool.renamed", true, "gives the environment away, under another name and text than was read"],
    ["get-sum", "/name", "tool.renamed", false, "adds two numbers as before: the new words say nothing new"],
    ["gzip-file-as-resource", "", "tool.added", true, "reads any address that the caller gives"],
  ),
  ...high("@modelcontextprotocol/server-filesystem 2025.8.21 -> 2025.11.25", [
    "move_file",
    "/inputSchema/properties/destination",
    "schema.property-added",
    false,
    "the earlier version had lost its schemas by a mistake; the tool always took a destination",
  ]),
  ...high("@modelcontextprotocol/server-filesystem 2026.1.14 -> 2026.7.10", [
    "move_file",
    DESTROY,
    HINT,
    true,
    "says now that moving can destroy what is at the destination",
  ]),
  ...high("exa-mcp-server 3.1.8 -> 3.2.1", [
    "web_fetch_exa",
    "",
    "tool.added",
    true,
    "reads any address that the caller gives",
  ]),
  ...high(
    "@notionhq/notion-mcp-server 1.9.1 -> 2.0.0",
    [
      "API-create-a-data-source",
      "/name",
      "tool.renamed",
      true,
      "makes another kind of thing than the tool that it replaces",
    ],
    [
      "API-query-data-source",
      "/name",
      "tool.renamed",
      true,
      "queries another kind of thing than the tool that it replaces",
    ],
    [
      "API-update-a-data-source",
      "/name",
      "tool.renamed",
      true,
      "changes another kind of thing than the tool that it replaces",
    ],
  ),
  ...high(
    "chrome-devtools-mcp 0.20.1 -> 1.6.0",
    [
      "lighthouse_audit",
      READ,
      HINT,
      true,
      "was called without asking as a tool that only reads, and says now that it does not",
    ],
    [
      "take_heapsnapshot",
      READ,
      HINT,
      true,
      "was called without asking as a tool that only reads, and says now that it writes a file",
    ],
    ["take_heapsnapshot", "/name", "tool.renamed", false, "the same snapshot in other words"],
  ),
  ...high("mongodb-mcp-server 0.3.0 -> 1.7.0", [
    "drop-index",
    "",
    "tool.added",
    true,
    "takes away what cannot be had back without work",
  ]),
]
