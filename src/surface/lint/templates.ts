// Resource templates (RFC 6570): the template is the only boundary that a resource declares.
import { quote } from "../../core/errors.js"
import { itemKey } from "../../core/item.js"
import type { Surface } from "../../core/section.js"
import type { Severity } from "../../core/severity.js"
import type { Finding } from "../finding.js"
import { MAX_TEXT_CHARS } from "./limits.js"
import { listItems } from "./tool-view.js"

/** Findings about resource templates. */
export const lintTemplates = (surface: Surface): readonly Finding[] =>
  listItems(surface, "templates").flatMap((item) => {
    const template = itemKey("templates", item)
    const opened = template === null ? null : judgeTemplate(template.slice(0, MAX_TEXT_CHARS))
    if (template === null || opened === null) return []
    return [{ section: "templates", item: template, pointer: "", rule: "open-template", ...opened } satisfies Finding]
  })

interface Opened {
  readonly severity: Severity
  readonly message: string
}

/** The first expression; those that only add a query, a matrix parameter or an extension open nothing. */
const EXPRESSION = /\{[^{}?&;.][^{}]*\}/
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i

function judgeTemplate(template: string): Opened | null {
  const first = EXPRESSION.exec(template)
  if (first === null) return null
  const before = template.slice(0, first.index)
  const scheme = SCHEME.exec(before)?.[1]?.toLowerCase()
  const fixed = scheme === undefined ? before : before.slice(scheme.length + 3)
  // Reserved expansion keeps "/" and ".." as given (RFC 6570 §3.2.3, §3.2.4).
  const isReserved = /\{[+#]/.test(template)
  const expression = quote(first[0])
  if (before === "") return { severity: "high", message: `starts with ${expression}: any address is accepted` }
  if (scheme === "file" && isRootOfDisk(fixed))
    return { severity: "high", message: `${expression} stands at the root: any file is accepted` }
  if ((scheme === "http" || scheme === "https") && !fixed.includes("/") && isWholeHost(template, first))
    return { severity: "high", message: `${expression} decides the host that is asked` }
  if (!isReserved) return null
  const severity = scheme === "file" || !/[^/]/.test(fixed) ? "high" : "medium"
  return { severity, message: `reserved expansion takes any path, with "/" and ".." in it` }
}

/** `/`, `C:/` and the like: nothing but a root before the first variable. */
const isRootOfDisk = (fixed: string): boolean => /^(?:localhost)?\/?\/?(?:[a-z]:[/\\]?)?$/i.test(fixed)

/** `https://{host}/…`, not `https://{tenant}.example.com/…`. */
const isWholeHost = (template: string, expression: RegExpExecArray): boolean =>
  /^(?:$|[:/?#{])/.test(template.slice(expression.index + expression[0].length))
