// HTML in which only our own templates are markup: whatever is put into one is text, made visible and escaped, unless a template made it.
// Values stand in element content and in double-quoted attributes, nowhere else (HTML Living Standard §13.1.2).
import { showText } from "../../surface/shown-text.js"

/** Markup that `html` made. */
export interface Html {
  readonly markup: string
}

/** A template; texts are escaped, markup and lists of it are not. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  return { markup: strings.map((text, i) => text + (i < values.length ? markupOf(values[i] ?? "") : "")).join("") }
}

const markupOf = (value: string | number | Html | readonly Html[]): string => {
  if (typeof value === "string") return escapeHtml(value)
  if (typeof value === "number") return String(value)
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("")
}

/** Nothing. */
export const NOTHING: Html = { markup: "" }

/** Markup where there is something to show. */
export const when = (condition: boolean, markup: () => Html): Html => (condition ? markup() : NOTHING)

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}

/** Text of content or of a quoted attribute, with nothing invisible in it. */
const escapeHtml = (text: string): string => showText(text).replace(/[&<>"']/g, (c) => ENTITIES[c] ?? c)
