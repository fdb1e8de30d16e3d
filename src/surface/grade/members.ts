// Which file grades which member of an item, and of serverInfo. A member that is not here is not known to the specification (MCP 2025-11-25).
import type { SectionName } from "../../core/item.js"
import type { ChangeFinding } from "../finding.js"
import { gradeToolAnnotations } from "./annotations.js"
import {
  type ChangedItem,
  type ChangedMember,
  changedMembers,
  type MemberGrader,
  meaning,
  wayOf,
} from "./changed-member.js"
import { gradePromptArguments } from "./prompt-arguments.js"
import { gradeSchemaChanges } from "./schema-changes.js"
import { plainMember, textMember } from "./texts.js"

type Graders = Readonly<Record<string, MemberGrader>>

const DESCRIPTION = textMember({ what: "description", kind: "description.{way}", blank: "description.whitespace" })
const TITLE = plainMember({ what: "title", kind: "title.{way}", severity: "low" })
const AUDIENCE = plainMember({ what: "annotation", kind: "annotations.other-changed", severity: "low" })

const schemaMember =
  (direction: "input" | "output"): MemberGrader =>
  ({ before = null, after = null, changes, pointer, item }) =>
    gradeSchemaChanges({ before, after, direction, changes, pointer, item })

/** Members that items of all sections may have. */
const COMMON: Graders = {
  title: TITLE,
  icons: plainMember({ what: "icon", kind: "icons.changed", severity: "low" }),
  _meta: plainMember({ what: "metadata", kind: "meta.{way}", severity: "low" }),
}

const textOf = (what: string, section: string): MemberGrader =>
  textMember({ what, kind: `${section}.text-changed`, blank: "description.whitespace" })

const resourceMembers = (section: "resource" | "resource-template"): Graders => ({
  ...COMMON,
  name: textOf("name", section),
  description: textOf("description", section),
  mimeType: plainMember({ what: "media type", kind: `${section}.changed`, severity: "low" }),
  annotations: AUDIENCE,
})

const MEMBERS: Readonly<Record<SectionName | "server", Graders>> = {
  tools: {
    ...COMMON,
    description: DESCRIPTION,
    inputSchema: schemaMember("input"),
    outputSchema: schemaMember("output"),
    annotations: gradeToolAnnotations,
    execution: plainMember({ what: "execution", kind: "execution.{way}", severity: "info" }),
  },
  prompts: { ...COMMON, description: textOf("description", "prompt"), arguments: gradePromptArguments },
  templates: resourceMembers("resource-template"),
  resources: {
    ...resourceMembers("resource"),
    size: plainMember({ what: "size", kind: "resource.changed", severity: "info" }),
  },
  server: {
    name: plainMember({ what: "name of the server", kind: "server-info.changed", severity: "medium" }),
    title: plainMember({ what: "title of the server", kind: "server-info.changed", severity: "low" }),
    description: textMember({ what: "description of the server", kind: "server-info.changed" }),
    websiteUrl: plainMember({ what: "website of the server", kind: "server-info.changed", severity: "low" }),
    icons: plainMember({ what: "icon of the server", kind: "server-info.changed", severity: "low" }),
  },
}

/** The meanings of what differs in the members of an item; what no grader accounts for is left. */
export const gradeMembers = (item: ChangedItem): readonly ChangeFinding[] =>
  changedMembers(item).flatMap((member) => (graderOf(member) ?? gradeUnknown)(member))

function graderOf({ section, name }: ChangedMember): MemberGrader | undefined {
  const graders: Graders = MEMBERS[section as keyof typeof MEMBERS] // changed items are of a list or serverInfo
  return Object.hasOwn(graders, name) ? graders[name] : undefined
}

/** A member outside the specification: some clients hand it to the model, others never see it. */
const gradeUnknown: MemberGrader = (member) =>
  member.changes.map((change) => {
    const way = change.pointer === member.pointer ? wayOf(change) : "changed"
    const words = way === "added" ? "appeared" : way === "removed" ? "is gone" : "differs"
    const message = `a member that the specification does not have ${words}`
    return meaning(member, { rule: `unknown-field.${way}`, severity: "medium", message, at: change.pointer })
  })
