// The rules of lint, with the words that reports show.
import type { Rule } from "../finding.js"

/** Rules of this folder by id. */
export const LINT_RULES: Readonly<Record<string, Rule>> = {
  "ambiguous-pair": {
    title: "Two tools that cannot be told apart",
    help: "Each of the two takes the other's calls, and neither name nor text says which is for what, so that a model picks one by chance. Say in both descriptions when to use which, or leave one out.",
    severity: "low",
  },
  "scope.unbounded": {
    title: "Takes away without a boundary",
    help: "The text says that everything of a kind is deleted or reset, and neither a parameter nor the text bounds it. Name what is spared or where it ends, or add a parameter that says which.",
    severity: "medium",
  },
  convention: {
    title: "Departs from the server's own documentation",
    help: "Most comparable tools of this server state bounds, carry annotations or describe their parameters; this one does not. A documentation gap: look whether it is meant.",
    severity: "low",
  },
  "no-description": {
    title: "No description",
    help: "A model has only the name and the schema of this tool to go by. Say what it does and when to use it.",
    severity: "low",
  },
  "confusable-name": {
    title: "Name that looks like another",
    help: "Two different names look the same on a screen (letters of another script, digits for letters). A person approves one and the model calls the other. Compare the names letter by letter.",
    severity: "critical",
  },
  "duplicate-name": {
    title: "Name given twice",
    help: "Two items of one list have the same name. Clients take the first or the last of them, so that what was reviewed may not be what is called. Only one should be listed.",
    severity: "critical",
  },
  nameless: {
    title: "Item without a name",
    help: "Clients cannot address an item without its name or address, and some refuse the whole list. It is pinned as it is.",
    severity: "medium",
  },
  "not-an-object": {
    title: "List entry that is no object",
    help: "The list holds a value that is no item at all. Strict clients refuse the whole list. It is pinned as it is.",
    severity: "medium",
  },
  "schema-not-an-object": {
    title: "Schema that clients cannot take",
    help: 'An input schema must be an object with "type": "object" (MCP, tools). Strict clients refuse the whole list for one tool without.',
    severity: "medium",
  },
  "bad-schema": {
    title: "Keyword of the wrong shape",
    help: "A JSON Schema keyword does not have the shape it must have, so that validators refuse the schema or pass over the keyword: what is accepted differs from client to client.",
    severity: "medium",
  },
  "schema-cut": {
    title: "Schema too large to be read",
    help: "The schema has more subschemas, or deeper ones, than are looked at. What lies beyond was pinned but not analysed.",
    severity: "medium",
  },
  "lint.cut": {
    title: "More than is shown",
    help: "A limit of the analysis left something out: further findings of one rule on one item, or comparisons among very many like tools.",
    severity: "critical",
  },
  shadowing: {
    title: "Text that governs another server's tool",
    help: "A text of this server names a tool of another server of the lockfile and says how or when it is to be used. A model reads both, so that installing one server changes how the other is used.",
    severity: "high",
  },
  "shadowing.same-name": {
    title: "Tool name of another server",
    help: "Another server of the lockfile offers a tool of the same name. Clients resolve the collision in their own way; which tool runs is undefined.",
    severity: "medium",
  },
  "annotation-contradiction": {
    title: "Annotation that the tool belies",
    help: "An annotation claims that the tool only reads or destroys nothing, while its name, text or parameters say otherwise. Clients leave out the question to the user on the strength of the annotation.",
    severity: "critical",
  },
  "dangling-ref": {
    title: "Reference that leads nowhere",
    help: "A $ref points at nothing, or back at itself. Some clients drop the tool or the whole list; others accept anything there.",
    severity: "medium",
  },
  "remote-ref": {
    title: "Reference to another document",
    help: "A $ref leads to a document that is not part of the list. It is never fetched here: the pin covers the address, not what is accepted.",
    severity: "high",
  },
  "header-mirror": {
    title: "Argument copied into a header",
    help: "x-mcp-header makes clients copy this argument into a request header, where proxies and logs see it. Look whether it can hold a secret.",
    severity: "high",
  },
  "open-template": {
    title: "Resource template without a boundary",
    help: "The template accepts any path or host: a variable stands at the root, or reserved expansion takes slashes and dots. The template is the only boundary that a resource declares.",
    severity: "high",
  },
  "not-covered-by-pin": {
    title: "Address of content that is not pinned",
    help: "The pin covers this address, not what is loaded from it (an icon, an application page): that can change without any change of the list.",
    severity: "info",
  },
  "inexact-number": {
    title: "Integer beyond exact doubles",
    help: "The integer is larger than 2^53 - 1. It is compared exactly here; readers that keep numbers as doubles take it for a neighbour.",
    severity: "info",
  },
}
