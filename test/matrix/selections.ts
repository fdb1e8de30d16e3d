// Which cells are played: the whole matrix is the product of its axes, most of which says the same over and over. Every test names its part
// here, so that the parts can be counted.
import { AXES, type Cell, cellsOf, inTurn, nameOf } from "./cells.js"
import type { ContentName, PagingName } from "./lists.js"

const CALM = { auth: ["none"], defect: ["none"], place: ["opening"] } as const
const OTHER_AUTHS = AXES.auth.filter((name) => name !== "none")
const OTHER_DEFECTS = AXES.defect.filter((name) => name !== "none")
const CHANGED_EARLY = ["pinned", "a page-one tool changes"] as const

const FEW = { paging: ["one", "three"], content: CHANGED_EARLY } as const

type Parts = Readonly<Record<string, readonly Cell[]>>

/** The parts without cells that are in an earlier one. */
function distinct(parts: Parts): Parts {
  const seen = new Set<string>()
  const isNew = (cell: Cell) => {
    const name = nameOf(cell)
    const isFirst = !seen.has(name)
    seen.add(name)
    return isFirst
  }
  return Object.fromEntries(Object.entries(parts).map(([name, cells]) => [name, cells.filter(isNew)]))
}

/** Every value of every axis, with every way it can have; what hardly depends on each other takes turns. */
export const QUICK = distinct({
  "every revision, way and first request": cellsOf({ paging: ["one"], content: ["pinned"], ...CALM }),
  "every paging": inTurn(cellsOf({ ask: ["pin"], content: CHANGED_EARLY, ...CALM }), ["revision"]),
  "every content": inTurn(cellsOf({ ask: ["pin"], paging: ["three"], ...CALM }), ["revision", "way"]),
  "everything that servers want": inTurn(cellsOf({ ask: ["pin"], ...FEW, auth: OTHER_AUTHS, defect: ["none"] }), [
    "revision",
    "paging",
    "content",
    "place",
  ]),
  "everything that goes wrong at the opening": inTurn(
    cellsOf({ ask: ["pin"], ...FEW, auth: ["none"], defect: OTHER_DEFECTS, place: ["opening"] }),
    ["revision", "paging", "content"],
  ),
  "everything that goes wrong in a list": inTurn(
    cellsOf({ ask: ["pin"], ...FEW, auth: ["none"], defect: OTHER_DEFECTS, place: ["first page", "last page"] }),
    ["era", "revision", "paging", "content", "place"],
  ),
})

const FEW_REVISIONS = ["2024-11-05", "2025-11-25", "2026-07-28"] as const
const FEW_PAGINGS: readonly PagingName[] = ["one", "three"]
const FEW_CONTENTS: readonly ContentName[] = ["pinned", "a page-one tool changes", "removed", "instructions"]
const ODD_PAGINGS = AXES.paging.filter((name) => !FEW_PAGINGS.includes(name))

/** The products that say something. */
export const WHOLE = distinct({
  "first requests, pagings": cellsOf({ content: CHANGED_EARLY, ...CALM }),
  "pagings, contents": cellsOf({ ask: ["pin"], revision: FEW_REVISIONS, ...CALM }),
  "what servers want, pagings, contents": cellsOf({
    ask: ["pin"],
    content: FEW_CONTENTS,
    paging: FEW_PAGINGS,
    auth: OTHER_AUTHS,
    defect: ["none"],
  }),
  "what servers want, first requests": cellsOf({
    ask: ["none", "other"],
    content: ["pinned"],
    paging: ["one"],
    auth: OTHER_AUTHS,
    defect: ["none"],
  }),
  "what goes wrong, contents": cellsOf({
    ask: ["pin"],
    content: FEW_CONTENTS,
    paging: FEW_PAGINGS,
    auth: ["none"],
    defect: OTHER_DEFECTS,
    revision: FEW_REVISIONS,
  }),
  "what goes wrong, revisions": cellsOf({
    ask: ["pin"],
    content: ["pinned"],
    paging: ["three"],
    auth: ["none"],
    defect: OTHER_DEFECTS,
  }),
  "what goes wrong, pagings": cellsOf({
    ask: ["pin"],
    content: ["a page-one tool changes"],
    paging: ODD_PAGINGS,
    auth: ["none"],
    defect: OTHER_DEFECTS,
    place: ["first page", "last page"],
    revision: ["2025-11-25", "2026-07-28"],
  }),
})
