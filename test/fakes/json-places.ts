// Which member of a JSON text each of its bytes belongs to, for tests that change single bytes. A reader of its own, for well-formed texts.

/** Where a byte lies. */
export interface JsonPlace {
  /** Names and indexes that lead to the value; a member's name, colon and white space belong to the member, commas and brackets to
   *  what they are in. */
  readonly path: readonly string[]
  /** `mark`: a bracket, colon or comma. */
  readonly part: "name" | "value" | "mark" | "space"
  /** Of a text value: the value as far as the token goes before this byte, and whole. Empty elsewhere. */
  readonly before: string
  readonly text: string
}

/** The place of every byte of the UTF-8 of `json`. */
export function findPlaces(json: string): readonly JsonPlace[] {
  const places: JsonPlace[] = []
  const tokens = json.matchAll(/\s+|"(?:[^"\\]|\\.)*"|[[\]{}:,]|[^\s[\]{}:,"]+/g)
  const open: { kind: "[" | "{"; at: number; name: string | null }[] = []
  const pathNow = () => open.flatMap(({ kind, at, name }) => (kind === "[" ? [`${at}`] : name === null ? [] : [name]))
  const add = (token: string, part: JsonPlace["part"], text = "") => {
    const path = pathNow()
    for (const [at, character] of [...walk(token)]) {
      const before = text === "" ? "" : decodeStart(token, at)
      for (let i = 0; i < Buffer.byteLength(character); i++) places.push({ path, part, before, text })
    }
  }
  for (const [token] of tokens) {
    const top = open.at(-1)
    if (/^\s/.test(token)) add(token, "space")
    else if (token === "[" || token === "{") {
      add(token, "mark")
      open.push({ kind: token, at: 0, name: null })
    } else if (token === "]" || token === "}") {
      open.pop()
      add(token, "mark")
    } else if (token === ":") add(token, "mark")
    else if (token === ",") {
      add(token, "mark")
      if (top?.kind === "[") top.at++
      if (top?.kind === "{") top.name = null
    } else if (top?.kind === "{" && top.name === null) {
      top.name = JSON.parse(token)
      add(token, "name")
    } else add(token, "value", token.startsWith('"') ? JSON.parse(token) : "")
  }
  return places
}

function* walk(token: string): Generator<[number, string]> {
  let at = 0
  for (const character of token) {
    yield [at, character]
    at += character.length
  }
}

/** The value of the first `at` units of a string token; an escape that is not whole is left out. */
function decodeStart(token: string, at: number): string {
  const start = token.slice(1, Math.max(1, at)).replace(/(^|[^\\])((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, "$1$2")
  return JSON.parse(`"${start}"`)
}
