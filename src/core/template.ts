// Templates in arguments, URLs and header values (DESIGN 5): `${NAME}` stands for a variable, `$$` for a dollar sign, and no other `$`
// is accepted, so that a value meant for a shell is not passed on by mistake. Values are put in when a server is started or contacted.
import { quote, ToolsumError } from "./errors.js"

/** A piece of a template: literal text, or the name of a variable. */
export type TemplatePart = { readonly text: string } | { readonly name: string }

const bad = (why: string): ToolsumError => new ToolsumError("TARGET_MALFORMED", why)

const PIECE = /\$(?:\$|\{([A-Za-z_][A-Za-z0-9_]{0,127})\})?|[^$]+/g

/** Read a template; neighbouring literal pieces are one part, and no part is empty. Throws TARGET_MALFORMED for a `$` that begins neither
 *  `$$` nor `${NAME}` (`[A-Za-z_][A-Za-z0-9_]{0,127}`). */
export function parseTemplate(template: string): readonly TemplatePart[] {
  const parts: TemplatePart[] = []
  let text = ""
  for (const [piece, name] of template.matchAll(PIECE)) {
    if (piece === "$") throw bad(`expected \${NAME} or $$ for a dollar sign in ${quote(template)}`)
    if (name === undefined) text += piece === "$$" ? "$" : piece
    else {
      if (text !== "") parts.push({ text })
      parts.push({ name })
      text = ""
    }
  }
  return text === "" ? parts : [...parts, { text }]
}

/** Names of the variables in a template, in order of appearance, each once. Throws TARGET_MALFORMED. */
export const listTemplateNames = (template: string): readonly string[] => [
  ...new Set(parseTemplate(template).flatMap((part) => ("name" in part ? [part.name] : []))),
]

/** Put `values` into a template. A variable that is not set is an error, never empty text: CONFIG_INVALID names it.
 *  Throws TARGET_MALFORMED. */
export function expandTemplate(template: string, values: Readonly<Record<string, string | undefined>>): string {
  return parseTemplate(template)
    .map((part) => ("name" in part ? setValue(part.name, values) : part.text))
    .join("")
}

function setValue(name: string, values: Readonly<Record<string, string | undefined>>): string {
  const value = Object.hasOwn(values, name) ? values[name] : undefined
  if (value === undefined) throw new ToolsumError("CONFIG_INVALID", `expected variable ${name} to be set`)
  return value
}
