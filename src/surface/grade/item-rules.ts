// Rules for what came, went or has another name.
import type { Rule } from "../finding.js"

const rule = (severity: Rule["severity"], title: string, help: string): Rule => ({ title, help, severity })

const twins = (what: string): Rule =>
  rule(
    "critical",
    `two ${what}s of one name`,
    `A ${what} came whose name another one has already. Clients differ in which of them they use, so that the one that was read need not be the one that is used.`,
  )

const renamed = (what: string, severity: Rule["severity"], more = ""): Rule =>
  rule(
    severity,
    `${what} renamed`,
    `A ${what} is gone and one of like content has another name: what is allowed by the old name no longer applies.${more}`,
  )

/** Rules by id. */
export const ITEM_RULES: Readonly<Record<string, Rule>> = {
  "tool.added": rule(
    "high",
    "tool added",
    "The model can call something that it could not before. High where the class of the tool says that it sends data out or that what it does cannot be undone.",
  ),
  "tool.removed": rule("medium", "tool removed", "A tool is gone. Less reach, and callers that used it may break."),
  "tool.duplicated": twins("tool"),
  "tool.renamed": renamed(
    "tool",
    "high",
    " High where name and text both say something else: then it is a new tool and has to be read as one.",
  ),
  "tool.changed": rule("medium", "tool changed", "Something in a tool differs that no other rule explains."),
  "prompt.added": rule("medium", "prompt added", "A prompt is new text for a model: somebody has to read it once."),
  "prompt.removed": rule("medium", "prompt removed", "A prompt is gone: callers that used it may break."),
  "prompt.duplicated": twins("prompt"),
  "prompt.renamed": renamed("prompt", "medium"),
  "prompt.changed": rule("medium", "prompt changed", "Something in a prompt differs that no other rule explains."),
  "resource-template.added": rule(
    "medium",
    "resource template added",
    "A template says which addresses the server reads for a client. Look at how much of the address the caller may choose.",
  ),
  "resource-template.removed": rule(
    "low",
    "resource template removed",
    "Addresses of this form are no longer offered.",
  ),
  "resource-template.duplicated": twins("resource template"),
  "resource-template.changed": rule(
    "medium",
    "resource template changed",
    "Something else in a resource template differs.",
  ),
  "resource.added": rule(
    "medium",
    "resource added",
    "A resource came, with a text that a model may read. Its contents are not covered by a pin.",
  ),
  "resource.removed": rule("low", "resource removed", "A resource is no longer offered."),
  "resource.duplicated": twins("resource"),
  "resource.changed": rule("medium", "resource changed", "Something else in a resource differs."),
  "list.declared": rule(
    "info",
    "list declared",
    "The server has a list of this kind now. Its items are named one by one.",
  ),
  "list.gone": rule(
    "info",
    "list gone",
    "The server has no list of this kind any more. Its items are named one by one.",
  ),
}
