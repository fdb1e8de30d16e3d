// Variables as clients write them, to our templates (core/template.ts): `${NAME}` stands for a variable and `$$` for a dollar sign. A
// reference that a template cannot hold is told by its form, never with the text around it, for that may be a credential.
/** What a client reads as a variable besides `${NAME}`, `${env:NAME}`, `${input:id}`, `${{ secrets.NAME }}` and the folders of an editor.
 *  `bare`: `$NAME` too (Gemini CLI). `curly`: `{env:NAME}` too (OpenCode). */
export type Dialect = "braces" | "bare" | "curly"

/** A text as a template, or why it cannot be one. `names`: the variables in it. */
export type Mapped = { readonly template: string; readonly names: readonly string[] } | { readonly problem: string }

/** Where a text stands: what a reference to the project's folder can mean there. `projectIsHere`: true where the text is read in that
 *  folder, so that it is `.` there. */
export interface TextPlace {
  readonly dialect: Dialect
  readonly projectIsHere: boolean
}

const NAME = "[A-Za-z_][A-Za-z0-9_]{0,127}"
const BRACES = "\\$\\{\\{(?<secret>[^{}]*)\\}\\}|\\$\\{(?<braces>[^{}]*)\\}"
const REFERENCES: Readonly<Record<Dialect, RegExp>> = {
  braces: new RegExp(`${BRACES}|\\$`, "g"),
  bare: new RegExp(`${BRACES}|\\$(?<bare>${NAME})|\\$`, "g"),
  curly: new RegExp(`${BRACES}|\\$|\\{(?<curly>(?:env|file):[^{}]*)\\}`, "g"),
}

/** Map a text. Pure. */
export function mapVariables(text: string, place: TextPlace): Mapped {
  const names: string[] = []
  let template = ""
  let end = 0
  for (const match of text.matchAll(REFERENCES[place.dialect])) {
    const [reference] = match
    const meaning = readMatch(match.groups ?? {})
    if ("problem" in meaning) return meaning
    const word = "folder" in meaning ? projectFolder(text, match.index, reference, place) : wordOf(meaning.name)
    if (word === null) return { problem: "the project's folder where no path relative to it can stand" }
    if ("name" in meaning && meaning.name !== null) names.push(meaning.name)
    template += text.slice(end, match.index) + word
    end = match.index + reference.length
  }
  return { template: template + text.slice(end), names }
}

const wordOf = (name: string | null): string => (name === null ? "$$" : `\${${name}}`)

/** What stands for the project's folder at `at`: `.`, or null where that would mean something else. */
function projectFolder(text: string, at: number, reference: string, { projectIsHere }: TextPlace): string | null {
  const begins = at === 0 || text[at - 1] === "="
  return projectIsHere && begins && /^(?:[\\/]|$)/.test(text.slice(at + reference.length)) ? "." : null
}

/** What a reference stands for. `name`: a variable; null: a dollar sign. */
type Meaning = { readonly name: string | null } | { readonly folder: true } | { readonly problem: string }

function readMatch({ secret, braces, bare, curly }: Readonly<Record<string, string | undefined>>): Meaning {
  if (secret !== undefined) return readSecret(secret.trim())
  const inside = braces ?? curly ?? bare
  return inside === undefined ? { name: null } : readReference(inside)
}

const WHOLE_NAME = new RegExp(`^${NAME}$`)
const INPUT = /^input:(.+)$/s
const FORM = /^[A-Za-z]{1,16}:/
const WITH_DEFAULT = new RegExp(`^(?:env:)?(${NAME}):?-`)

function readReference(inside: string): Meaning {
  if (WHOLE_NAME.test(inside)) return EDITOR_NAMES.get(inside) ?? { name: inside }
  const variable = inside.startsWith("env:") ? inside.slice("env:".length) : null
  if (variable !== null && WHOLE_NAME.test(variable)) return { name: variable }
  const input = upperSnake(INPUT.exec(inside)?.[1] ?? "")
  if (input !== null) return { name: input }
  const [, withDefault] = WITH_DEFAULT.exec(inside) ?? []
  if (withDefault !== undefined) return { problem: `a default value of variable ${withDefault}` }
  const [form] = FORM.exec(inside) ?? []
  return form === undefined ? UNKNOWN : { problem: `a variable of the form \${${form}…}` }
}

const UNKNOWN: Meaning = { problem: "a variable of a form that is not known" }

/** Continue's `${{ secrets.NAME }}` and `${{ inputs.NAME }}`. */
function readSecret(inside: string): Meaning {
  const [, name] = new RegExp(`^(?:secrets|inputs)\\.(${NAME})$`).exec(inside) ?? []
  return name === undefined ? UNKNOWN : { name }
}

const editorOnly = (name: string): readonly [string, Meaning] => [
  name,
  { problem: `the editor's variable \${${name}}` },
]

/** What editors fill in themselves. The home has a variable of its own. */
const EDITOR_NAMES: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ["workspaceFolder", { folder: true }],
  ["workspaceRoot", { folder: true }],
  ["userHome", { name: "HOME" }],
  ...["workspaceFolderBasename", "workspaceRootFolderName", "pathSeparator", "cwd", "file", "fileDirname"].map(
    editorOnly,
  ),
  ...["fileWorkspaceFolder", "relativeFile", "execPath", "defaultBuildTask", "selectedText", "lineNumber"].map(
    editorOnly,
  ),
])

/** The name of a variable for an input or a header: `github-token` is `GITHUB_TOKEN`, `apiKey` is `API_KEY`. Null where none comes out. */
export function upperSnake(text: string): string | null {
  const words = text.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/[^A-Za-z0-9]+/g, "_")
  const name = /^[0-9]/.test(words) ? `_${words.toUpperCase()}` : words.toUpperCase()
  return WHOLE_NAME.test(name) && /[A-Z0-9]/.test(name) ? name : null
}

/** True for a text that is one variable and nothing else, whatever its form: the value itself stands elsewhere. */
export const isReference = (text: string): boolean =>
  /^(?:\$\{\{[^{}]*\}\}|\$\{[^{}]*\}|\$[A-Za-z_][A-Za-z0-9_]*|\{(?:env|file):[^{}]*\})$/.test(text.trim())
