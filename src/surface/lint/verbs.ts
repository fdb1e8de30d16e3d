// Words of action in tool names and descriptions: which say the same, which say the opposite, and which take something away.

/** Words for one action; the first stands for all. Reading one and listing many differ by their arguments, not by their verb. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["get", "fetch", "retrieve", "read", "obtain", "show", "view", "list", "enumerate", "load", "display"],
  ["find", "search", "lookup", "query"],
  ["create", "make", "add", "insert", "new"],
  ["delete", "remove", "erase", "destroy", "purge", "wipe", "drop", "discard"],
  ["update", "edit", "modify", "patch", "change", "set", "alter"],
  ["write", "save", "store", "put"],
  ["run", "execute", "exec", "invoke"],
  ["start", "begin", "launch"],
  ["stop", "end", "halt", "terminate", "kill"],
  ["enable", "activate"],
  ["disable", "deactivate"],
  ["send", "transmit"],
]

/** Pairs that share everything but their sense. Words with un-, de- or dis- need no entry. */
const OPPOSITES: readonly (readonly [string, string])[] = [
  ["get", "write"],
  ["get", "update"],
  ["get", "create"],
  ["get", "delete"],
  ["create", "delete"],
  ["update", "delete"],
  ["write", "delete"],
  ["start", "stop"],
  ["enable", "disable"],
  ["open", "close"],
  ["grant", "revoke"],
  ["encrypt", "decrypt"],
  ["encode", "decode"],
  ["import", "export"],
  ["push", "pull"],
  ["upload", "download"],
  ["send", "receive"],
  ["pause", "resume"],
  ["approve", "reject"],
  ["accept", "decline"],
  ["allow", "deny"],
  ["attach", "detach"],
  ["join", "leave"],
  ["increase", "decrease"],
  ["increment", "decrement"],
  ["archive", "restore"],
  ["backup", "restore"],
  ["show", "hide"],
  ["login", "logout"],
  ["up", "down"],
  ["next", "previous"],
  ["first", "last"],
  ["min", "max"],
]

/** Prefixes that turn a verb into its opposite. */
const REVERSING_PREFIXES: readonly string[] = ["un", "de", "dis"]

/** Verbs that take something away for good, and mean nothing milder. */
export const PLAINLY_DESTRUCTIVE_VERBS: readonly string[] =
  "delete remove erase destroy purge wipe truncate overwrite uninstall terminate kill shred obliterate nuke".split(" ")

/** With those that can mean less: "clear the filter", "drop a file here", "flush the buffer". */
export const DESTRUCTIVE_VERBS: readonly string[] = [
  ...PLAINLY_DESTRUCTIVE_VERBS,
  ..."drop flush clear reset revoke discard prune".split(" "),
]

/** Verbs that change something outside the caller. `create` is none of them: charts and drafts are created too. */
export const WRITING_VERBS: readonly string[] = [
  "write",
  "insert",
  "update",
  "edit",
  "modify",
  "rename",
  "move",
  "upload",
  "send",
  "publish",
  "post",
  "install",
  "grant",
  "deploy",
  "save",
  "append",
  "overwrite",
]

const IRREGULAR_PAST: Readonly<Record<string, string>> = { overwrite: "overwritten", write: "written", send: "sent" }

/** A verb in its plain, third-person, past and -ing forms, all in lower case. */
export function inflect(verb: string): readonly string[] {
  const stem = verb.endsWith("e") ? verb.slice(0, -1) : verb
  const third = /(?:s|sh|ch)$/.test(verb) ? `${verb}es` : `${verb}s`
  const doubled = /[^aeiou][aeiou][bgmnpt]$/.test(verb) ? [`${verb}${verb.at(-1)}ed`, `${verb}${verb.at(-1)}ing`] : []
  return [verb, third, IRREGULAR_PAST[verb] ?? `${stem}ed`, `${stem}ing`, ...doubled]
}

const canonical = new Map(SYNONYMS.flatMap(([first = "", ...others]) => others.map((word) => [word, first] as const)))

/** The word that stands for `word` and its synonyms. */
export const canonicalVerb = (word: string): string => canonical.get(word) ?? word

const opposites = new Map<string, Set<string>>()
for (const [a, b] of OPPOSITES)
  for (const [one, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const known = opposites.get(one)
    if (known) known.add(other)
    else opposites.set(one, new Set([other]))
  }

const arePaired = (a: string, b: string): boolean => opposites.get(a)?.has(b) === true

/** True for two words of opposite sense. */
export function areOpposite(a: string, b: string): boolean {
  if (a === b) return false
  if (arePaired(a, b) || arePaired(canonicalVerb(a), canonicalVerb(b))) return true
  const [longer, shorter] = a.length > b.length ? [a, b] : [b, a]
  return longer.endsWith(shorter) && REVERSING_PREFIXES.includes(longer.slice(0, longer.length - shorter.length))
}
