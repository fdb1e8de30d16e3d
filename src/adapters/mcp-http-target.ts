// What is really requested for a URL target (DESIGN 5, 9): its templates with the values of the named variables in them. Everything in
// here may be secret; errors name variables and headers, never values.
import { ToolsumError } from "../core/errors.js"
import type { UrlTarget } from "../core/target.js"
import { expandTemplate, listTemplateNames } from "../core/template.js"

/** Looks a variable up. Throws SERVER_AUTH `missing: NAME`. */
export type LookUp = (name: string) => string

/** The address without its fragment, as templates have it after `lookUp`. Throws SERVER_AUTH `missing: NAME`, TARGET_MALFORMED. */
export function expandUrl({ url }: UrlTarget, lookUp: LookUp): URL {
  const text = expand(url, lookUp) // as it is: clients put values in so, and some have whole addresses in them
  if (!URL.canParse(text)) throw new ToolsumError("TARGET_MALFORMED", "expected a URL once its variables are filled in")
  const expanded = new URL(text)
  expanded.hash = ""
  return expanded
}

/** The headers, names in lower case. Throws SERVER_AUTH `missing: NAME`, TARGET_MALFORMED for a value that no header can hold. */
export function expandHeaders({ headers }: UrlTarget, lookUp: LookUp): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, template]) => {
      const value = expand(template, lookUp).trim()
      if (!HEADER_VALUE.test(value))
        throw new ToolsumError("TARGET_MALFORMED", `expected printable text on one line as header ${name}`)
      return [name.toLowerCase(), value]
    }),
  )
}

/** Visible characters, spaces and tabs of Latin-1 (RFC 9110 §5.5). */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

const expand = (template: string, lookUp: LookUp): string =>
  expandTemplate(template, Object.fromEntries(listTemplateNames(template).map((name) => [name, lookUp(name)])))
