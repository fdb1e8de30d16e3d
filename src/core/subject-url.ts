// The subject of a URL target by this package's own rule (formats 19), since URL parsers of different Node versions escape
// differently. What the rule does not take (templates in host or path, spaces, backslashes, other schemes) has no subject.

/** The subject of a URL template: https, lower-case host, no user info, default port, query or fragment, dot segments removed; null when
 *  the rule does not take it. Pure. */
export function computeUrlSubject(url: string): string | null {
  if (!/^[!-~]*$/.test(url)) return null
  const [, authority, path = ""] = /^https:\/\/([^/?#\\]+)([^?#]*)/i.exec(url) ?? []
  if (authority === undefined) return null
  // User info ends at the last `@`.
  const place = parsePlace(authority.slice(authority.lastIndexOf("@") + 1))
  const clean = removeDotSegments(path)
  return place === null || clean === null ? null : `https://${place}${clean}`
}

/** The query of a URL template, between its first `?` and the fragment; null when there is none or it is empty. */
export function urlQuery(url: string): string | null {
  const [address = ""] = url.split("#", 1)
  const at = address.indexOf("?")
  return at < 0 || at === address.length - 1 ? null : address.slice(at + 1)
}

/** Host and port as the subject has them; null when ill-formed. */
function parsePlace(text: string): string | null {
  const [, rawHost = "", digits = ""] = /^(\[[^\]]*\]|[^:]*)(?::([0-9]*))?$/.exec(text) ?? []
  const host = rawHost.startsWith("[") ? parseIpv6(rawHost.slice(1, -1)) : parseHost(rawHost.toLowerCase())
  const port = digits.replace(/^0+(?=.)/, "")
  if (host === null || port.length > 5 || Number(port) > 65535) return null
  return port === "" || port === "443" ? host : `${host}:${port}`
}

const QUAD = /^(?:(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])(?:\.(?=.)|$)){4}$/

/** An ASCII name, or a dotted quad in its one spelling where the last label is numeric. */
function parseHost(host: string): string | null {
  if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?$/.test(host)) return null
  const numeric = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$/.test(host)
  return numeric && !QUAD.test(host) ? null : host
}

/** An IPv6 address in brackets, compressed as RFC 5952 §4 has it; null when ill-formed. */
function parseIpv6(text: string): string | null {
  const halves = text.split("::")
  const head = parseGroups(halves[0] ?? "", halves.length === 1)
  const tail = parseGroups(halves[1] ?? "", true)
  if (halves.length > 2 || head === null || tail === null) return null
  const missing = 8 - head.length - tail.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return null
  return `[${compressGroups([...head, ...new Array<number>(missing).fill(0), ...tail])}]`
}

/** The groups of one side of `::`, a dotted quad that ends the address as two of them; null when ill-formed. */
function parseGroups(text: string, isEnd: boolean): readonly number[] | null {
  if (text === "") return []
  const groups: number[] = []
  const parts = text.split(":")
  for (const [i, part] of parts.entries()) {
    if (isEnd && i === parts.length - 1 && QUAD.test(part)) {
      const [a = 0, b = 0, c = 0, d = 0] = part.split(".").map(Number)
      groups.push(a * 256 + b, c * 256 + d)
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return null
  }
  return groups
}

/** The longest run of two or more zero groups becomes `::`, the first of equals. */
function compressGroups(groups: readonly number[]): string {
  let best = { start: 0, length: 1 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  const hex = groups.map((group) => group.toString(16))
  if (best.length < 2) return hex.join(":")
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`
}

const PATH = /^(?:[A-Za-z0-9._~!&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*$/

/** A path without `.` and `..` segments, also spelled `%2e`; `/` when empty, null when it has other characters. */
function removeDotSegments(path: string): string | null {
  if (!PATH.test(path)) return null
  const segments = path.split("/").slice(1)
  const kept: string[] = []
  for (const [i, segment] of segments.entries()) {
    const dots = segment.replace(/%2e/gi, ".")
    if (dots === "..") kept.pop()
    if (dots !== "." && dots !== "..") kept.push(segment)
    else if (i === segments.length - 1) kept.push("")
  }
  return `/${kept.join("/")}`
}
