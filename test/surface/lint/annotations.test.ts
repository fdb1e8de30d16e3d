// Annotations against what a tool says of itself and takes.
import { expect, test } from "vitest"
import type { Kind } from "../../../src/surface/classify/classify.js"
import { lintAnnotations } from "../../../src/surface/lint/annotations.js"
import { viewTools } from "../../../src/surface/lint/tool-view.js"
import { lines, tool, toolClass, toolSurface } from "./support.js"

const judge = (name: string, description: string, annotations: unknown, kinds: readonly Kind[] = []) =>
  viewTools(toolSurface(tool(name, description, { annotations }))).flatMap((view) =>
    lines(lintAnnotations(view, toolClass(name, { tier: "R5", kinds }))),
  )

const BOTH = { readOnlyHint: true, destructiveHint: false }

test.each([
  ["delete_branch", "Delete a branch of the repository."],
  ["cleanup", "This tool permanently deletes a branch."],
  ["purgeQueue", ""],
  ["tidy", "Wipes a volume."],
])("%s %j: two false claims are one critical finding on all annotations", (name, description) => {
  expect(judge(name, description, BOTH)).toEqual([`annotation-contradiction critical ${name} /annotations`])
})

test.each(["readOnlyHint", "destructiveHint"])("one false claim is told at %s", (hint) => {
  expect(judge("drop_table", "Drops a table.", { [hint]: hint === "readOnlyHint" })).toEqual([
    `annotation-contradiction critical drop_table /annotations/${hint}`,
  ])
})

test("where only the name says it, the text may know better: high", () => {
  expect(judge("delete_preview", "Shows what would go.", BOTH)).toEqual([
    "annotation-contradiction high delete_preview /annotations",
  ])
})

test("who takes code or a command does not only read", () => {
  const told = ["annotation-contradiction high inspect /annotations/readOnlyHint"]
  expect(judge("inspect", "Run a diagnostic.", { readOnlyHint: true }, ["code_exec"])).toEqual(told)
  expect(judge("inspect", "Run a diagnostic.", { readOnlyHint: true })).toEqual([])
  expect(judge("inspect", "Run a diagnostic.", { destructiveHint: false }, ["code_exec"])).toEqual([])
})

test("milder verbs need a class that agrees", () => {
  const told = ["annotation-contradiction high send_mail /annotations/readOnlyHint"]
  expect(judge("send_mail", "Send a message.", { readOnlyHint: true }, ["egress"])).toEqual(told)
  expect(judge("send_mail", "Send a message.", { readOnlyHint: true })).toEqual([])
  expect(judge("remove_background", "Removes the background of an image.", BOTH)).toEqual([])
  expect(judge("remove_user", "Removes a user.", { readOnlyHint: true }, ["destructive"])).toHaveLength(1)
})

test.each([
  ["honest", { readOnlyHint: false, destructiveHint: true }],
  ["silent", {}],
  ["no booleans", { readOnlyHint: "true", destructiveHint: 0 }],
  ["no object", [true]],
  ["none", undefined],
])("%s annotations of a deleting tool are no contradiction", (_, annotations) => {
  expect(judge("delete_branch", "Delete a branch.", annotations, ["destructive"])).toEqual([])
})

test.each([
  ["get_deleted", "List deleted files."],
  ["read_file", "Reads a file; overwrites nothing."],
  ["undelete", "Preview of what comes back."],
])("%s %j only reads", (name, description) => {
  expect(judge(name, description, BOTH)).toEqual([])
})
