// Destructive texts without a boundary, in words that no rule lists as a whole.
import { expect, test } from "vitest"
import { inflect } from "../../../src/surface/lint/verbs.js"
import { input, lintTools, tool } from "./support.js"

const scope = (description: string, rest: Readonly<Record<string, unknown>> = {}) =>
  lintTools(tool("act", description, rest)).filter((line) => line.startsWith("scope."))

test.each([
  "Deletes the entire production database.",
  "Deletes every file it can reach on this machine.",
  "Permanently erase the whole disk.",
  "Purges every queue of the cluster.",
  "Stops the service and deletes all backups.",
  "Wipe everything",
  "Maintenance helper. Truncates the complete audit log, including the current day.",
  "Terminating all running instances in each region.",
  "Overwrites any file on the host",
  "All stored data will be permanently erased.",
  "Every account is being deleted.",
  "Removes all users\nReturns a count.",
  "Deletes arbitrary files.",
  "Erases records anywhere in the company",
  "Kill processes system-wide.",
])("%j takes away without a boundary", (description) => {
  expect(scope(description)).toEqual(["scope.unbounded medium act /description"])
})

test.each([
  "Delete all shapes from the drawing.",
  "Clear all entries from the blocklist so that refused releases are taken again.",
  "Removes every item in your cart",
  "Resets the entire account.",
  "Drops all tables.",
  "Revokes every grant on the cluster.",
  "Flush all keys",
])("%j takes everything of one thing, or has a milder sense: low", (description) => {
  expect(scope(description)).toEqual(["scope.unbounded low act /description"])
})

test.each([
  "Delete all rows that match the filter.",
  "Delete all messages of the given channel.",
  "Delete multiple entities and all their relations.",
  "Deletes a branch; all open pull requests keep their state",
  "Clear all filters.",
  "Never deletes all files.",
  "If set, removes everything.",
  "List every deleted file.",
  "Returns all removed items.",
  "Shows what would happen before you delete all files.",
  "Removes all duplicates from the input.",
  "Format the entire document.",
  "Kill all processes with this name.",
  "Discard all uncommitted changes.",
  "Deletes every backup older than 30 days.",
  "Delete every file except those of the owner.",
  "Reset all form fields",
  "Deletes a file; readable from anywhere.",
  "Shows deleted records anywhere.",
  "Undo: restores everything, then removes all markers",
  "Works for all cities above 1000 inhabitants.",
  "",
])("%j is bounded, or takes nothing away", (description) => {
  expect(scope(description)).toEqual([])
})

test("a parameter bounds where it says in what, not where it is what is taken", () => {
  const table = input({ tableName: { type: "string" } })
  expect(scope("Deletes every row of the table.", table)).toEqual([])
  expect(scope("Deletes every row of the table.")).toHaveLength(1)
  expect(scope("Deletes every table of the company.", table)).toHaveLength(1)
  expect(scope("Deletes all comments of an issue.", input({ id: { type: "string" } }))).toEqual([])
  expect(scope("Deletes all comments of an issue.", input({ id: { type: "string" } }, []))).toHaveLength(1)
})

test("one finding a tool, however often it says so", () => {
  expect(scope("Deletes all users. Erases every file. Wipes the whole disk.")).toHaveLength(1)
})

test.each([
  ["delete", "deletes", "deleted", "deleting"],
  ["wipe", "wipes", "wiped", "wiping"],
  ["drop", "drops", "dropped", "dropping"],
  ["purge", "purges", "purged", "purging"],
  ["flush", "flushes", "flushed", "flushing"],
  ["write", "writes", "written", "writing"],
  ["overwrite", "overwrites", "overwritten", "overwriting"],
  ["send", "sends", "sent", "sending"],
  ["destroy", "destroys", "destroyed", "destroying"],
])("inflects %s", (verb, third, past, gerund) => {
  expect(inflect(verb)).toEqual(expect.arrayContaining([verb, third, past, gerund]))
})
