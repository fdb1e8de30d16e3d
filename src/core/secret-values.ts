// Values of variables in text of a server: found in the spellings that servers give them, and replaced by the variable's name. Which
// variables, and how long a value must be, is the caller's to say.

/** A value as it may stand in a text. */
export interface SecretSpelling {
  /** Name of the variable. */
  readonly name: string
  readonly text: string
}

/** The values of the variables `names` as they are, as JSON and as a URL has them, and each line of a value of several; the longest first.
 *  Spellings of less than `minChars` characters are left out: they are ordinary words more often than secrets. Pure. */
export function listSpellings(
  names: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  minChars: number,
): readonly SecretSpelling[] {
  const lookUp = (name: string) => (Object.hasOwn(environment, name) ? (environment[name] ?? "") : "")
  return names
    .flatMap((name) => spellingsOf(lookUp(name)).map((text) => ({ name, text })))
    .filter(({ text }) => text.length >= minChars)
    .sort((a, b) => b.text.length - a.text.length)
}

function spellingsOf(value: string): readonly string[] {
  const texts = [value, ...value.split(/\r?\n/)]
  const spellings = texts.flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(toWellFormed(text)),
  ])
  return [...new Set(spellings)]
}

/** `encodeURIComponent` throws on lone surrogates, which Node lets through in variables on Windows. */
const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "\ufffd")

/** The name of a variable whose value is in `text`, or null. */
export const findSpelling = (text: string, spellings: readonly SecretSpelling[]): string | null =>
  spellings.find((spelling) => text.includes(spelling.text))?.name ?? null

/** `text` with `${NAME}` in the place of each value, and of the beginning of one where `quote` has clipped it. */
export function redactSpellings(text: string, spellings: readonly SecretSpelling[]): string {
  const rest = spellings.reduce((left, { name, text: value }) => left.replaceAll(value, () => `\${${name}}`), text)
  if (!rest.includes(CLIPPED)) return rest
  const parts = rest.split(CLIPPED)
  const last = parts.pop() ?? ""
  return [...parts.map((part) => redactEnd(part, spellings)), last].join(CLIPPED)
}

/** What `quote` ends a clipped text with. */
const CLIPPED = '"…'
/** A shorter beginning of a value says nothing. */
const MIN_BEGINNING_CHARS = 4

function redactEnd(part: string, spellings: readonly SecretSpelling[]): string {
  for (const { name, text } of spellings)
    for (let length = Math.min(text.length, part.length); length >= MIN_BEGINNING_CHARS; length--)
      if (part.endsWith(text.slice(0, length))) return `${part.slice(0, -length)}\${${name}}`
  return part
}
