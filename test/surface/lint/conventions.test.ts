// What a server does everywhere and one tool leaves out.
import { expect, test } from "vitest"
import { input, lintTools, tool } from "./support.js"

const NOUNS = ["order", "invoice", "customer", "parcel", "address", "payment", "refund", "coupon", "review"]

const server = (make: (noun: string, i: number) => Readonly<Record<string, unknown>>) => lintTools(...NOUNS.map(make))

const PATH = input({ path: { type: "string", description: "Where" } })

test("bounds that all but one state", () => {
  const bounded = (noun: string, i: number) =>
    tool(`write_${noun}`, `Write a ${noun}.${i === 4 ? "" : " Only works within allowed directories."}`, PATH)
  expect(server(bounded)).toEqual(["convention low write_address /description"])
})

test("annotations that all but one carry", () => {
  const annotated = (noun: string, i: number) =>
    tool(`get_${noun}`, `Get a ${noun}.`, i === 0 ? {} : { annotations: { title: noun } })
  expect(server(annotated)).toEqual(["convention low get_order"])
})

test("parameters that all but one describe; a reference is described where it leads", () => {
  const described = (noun: string, i: number) =>
    tool(`get_${noun}`, `Get a ${noun}.`, i === 2 ? input({ id: { type: "string" }, n: {} }) : PATH)
  expect(server(described)).toEqual(["convention info get_customer /inputSchema"])
  const referred = (noun: string) =>
    tool(`get_${noun}`, `Get a ${noun}.`, {
      inputSchema: { type: "object", properties: { id: { $ref: "#/$defs/Id" } }, $defs: { Id: { type: "string" } } },
    })
  expect(server(referred)).toEqual([])
})

test("no habit: too few tools, or too few that keep it", () => {
  const few = NOUNS.slice(0, 7).map((noun, i) =>
    tool(`get_${noun}`, `Get a ${noun}.`, i === 0 ? {} : { annotations: {} }),
  )
  expect(lintTools(...few)).toEqual([])
  expect(server((noun, i) => tool(`get_${noun}`, `Get a ${noun}.`, i < 2 ? {} : { annotations: {} }))).toEqual([])
})

test("a tool that the habit does not concern does not depart from it", () => {
  const mixed = (noun: string, i: number) =>
    i === 4
      ? tool("list_roots", "List the roots.")
      : tool(`write_${noun}`, `Write a ${noun}. Restricted to the data folder.`, PATH)
  expect(server(mixed)).toEqual([])
})
