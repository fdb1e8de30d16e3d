// What the name, the text and the annotations of a tool say of its class. Words only ever raise it.
import { quote } from "../../core/errors.js"
import type { JsonObject } from "../../core/json.js"
import { splitName, splitText } from "../lint/name-words.js"
import { splitSentences } from "../lint/sentences.js"
import { inflect } from "../lint/verbs.js"
import { memberOf, stringMember } from "../members.js"
import {
  CREDENTIAL_WORDS,
  DESTROYING_VERBS,
  DROPPED_WORDS,
  READING_VERBS,
  REMOVING_VERBS,
  RUN_WORDS,
  RUNNING_WORDS,
  SENDING_VERBS,
  SENSITIVE_PAIRS,
  SENSITIVE_WORDS,
  SHELL_WORDS,
  STATED_WRITING,
  WRITING_VERBS,
} from "./class-words.js"
import type { ToolInput } from "./parameters.js"
import type { Kind, Signal } from "./tool-class.js"
import { clipText, isWord } from "./word-forms.js"

/** What a tool says that it does; parameters are read by it. */
export interface ToolDeed {
  /** Words of the name. */
  readonly names: readonly string[]
  /** Beginning of the description. */
  readonly text: string
  /** First verb of the name, null where it has none that is known. */
  readonly verb: string | null
  /** First verb of the text that changes or takes away, null where there is none. */
  readonly stated: string | null
  readonly isReading: boolean
  readonly isWriting: boolean
  readonly isAppending: boolean
  readonly isMoving: boolean
  readonly isSending: boolean
}

const ALL_VERBS = [READING_VERBS, WRITING_VERBS, SENDING_VERBS, DESTROYING_VERBS, REMOVING_VERBS]

const STATED: ReadonlyMap<string, string> = new Map(
  [...STATED_WRITING, ...[...DESTROYING_VERBS].filter((verb) => verb !== "drop")].flatMap((verb) =>
    inflect(verb).map((form) => [form, verb] as const),
  ),
)

/** Words that may stand before the verb of a description. */
const LEADING =
  /^(?:this|the|a|tool|it|will|can|permanently|irreversibly|completely|quickly|safely|immediately|\p{N}+)$/u

/** Read what a tool says that it does. */
export function readDeed(tool: JsonObject): ToolDeed {
  const names = splitName(stringMember(tool, "name"))
  const text = clipText(stringMember(tool, "description"))
  const verb = verbOf(names)
  const first = splitText(text.slice(0, 200)).find((word) => !LEADING.test(word)) ?? ""
  const stated = STATED.get(first) ?? null
  return {
    names,
    text,
    verb,
    stated,
    isReading: verb !== null && READING_VERBS.has(verb) && stated === null,
    isWriting: [verb, stated].some((one) => one !== null && (WRITING_VERBS.has(one) || STATED_WRITING.has(one))),
    isAppending: verb === "append" || verb === "edit",
    isMoving: verb === "move" || verb === "copy" || verb === "rename",
    isSending: verb !== null && (SENDING_VERBS.has(verb) || verb === "post"),
  }
}

/** The first verb of a name; `post` is none where what follows is a search (`API-post-search`). */
function verbOf(names: readonly string[]): string | null {
  const verb = names.find((word) => ALL_VERBS.some((verbs) => verbs.has(word))) ?? null
  const last = names.at(-1) ?? ""
  return verb === "post" && READING_VERBS.has(last) ? last : verb
}

/** Signals of the whole tool. */
export function toolSignals(tool: JsonObject, deed: ToolDeed, input: ToolInput): readonly Signal[] {
  return [
    ...inputSignals(input),
    ...verbSignals(deed, input),
    ...codeSignals(deed, input),
    ...sensitiveSignals(deed),
    ...hintSignals(tool),
  ]
}

/** What is taken at all: an open parameter, or something that could not be read and therefore counts as reaching out. */
function inputSignals({ parameters, openPlaces, unread }: ToolInput): readonly Signal[] {
  const open = parameters.find(({ shape }) => shape.isOpen)
  const pointer = open?.pointer ?? openPlaces[0]
  const message =
    open === undefined ? "takes members of any name" : `${quote(open.name)} takes more than a fixed few values`
  return [
    ...(pointer === undefined ? [] : [signal("class.parameter", "R1", [], pointer, message)]),
    ...unread.map(({ pointer, why }) => signal("class.unread", "R4", ["egress"], pointer, why)),
  ]
}

const signal = (
  rule: string,
  tier: Signal["tier"],
  kinds: readonly Kind[],
  pointer: string,
  message: string,
): Signal => ({
  rule,
  tier,
  kinds,
  pointer,
  message,
})

function verbSignals({ names, verb, stated }: ToolDeed, input: ToolInput): readonly Signal[] {
  const own =
    verb === null || isArithmetic(verb, input) ? [] : verbSignal(verb, names, "/name", `its name says ${quote(verb)}`)
  const text = stated === null ? [] : verbSignal(stated, names, "/description", `its text says ${quote(stated)}`)
  return [...own, ...text]
}

/** "Add" alone over numbers is a sum. */
const isArithmetic = (verb: string, { parameters }: ToolInput): boolean =>
  verb === "add" && parameters.length > 0 && parameters.every(({ shape }) => shape.isNumber && !shape.isText)

function verbSignal(verb: string, names: readonly string[], pointer: string, message: string): readonly Signal[] {
  if (verb === "drop" && !names.some((word) => isWord(DROPPED_WORDS, word))) return []
  if ((verb === "rotate" || verb === "revoke") && names.some((word) => isWord(CREDENTIAL_WORDS, word)))
    return [signal("class.destroying-verb", "R5", ["destructive"], pointer, `${message} of a credential`)]
  if (DESTROYING_VERBS.has(verb)) return [signal("class.destroying-verb", "R5", ["destructive"], pointer, message)]
  if (REMOVING_VERBS.has(verb)) return [signal("class.removing-verb", "R3", ["destructive"], pointer, message)]
  if (SENDING_VERBS.has(verb)) return [signal("class.sending-verb", "R4", ["egress"], pointer, message)]
  if (WRITING_VERBS.has(verb)) return [signal("class.writing-verb", "R3", ["write"], pointer, message)]
  return []
}

/** A tool that says that it runs code, and takes text. */
function codeSignals({ names }: ToolDeed, { parameters }: ToolInput): readonly Signal[] {
  if (!parameters.some(({ shape }) => shape.isFree)) return []
  const runs = names.some((word) => RUNNING_WORDS.has(word)) && names.some((word) => isWord(RUN_WORDS, word))
  const says = runs || names.some((word) => SHELL_WORDS.has(word))
  return says
    ? [signal("class.code-tool", "R5", ["code_exec"], "/name", "its name says that it runs what it is given")]
    : []
}

/** What is read is not everybody's; of tools that send or change it, that is said by their own signals. */
function sensitiveSignals({ names, text, verb, stated }: ToolDeed): readonly Signal[] {
  if (stated !== null || (verb !== null && !READING_VERBS.has(verb))) return []
  const sentence = splitText(splitSentences(text)[0] ?? "")
  const inName = sensitiveWord(names)
  const found = inName ?? sensitiveWord(sentence)
  const pointer = inName === null ? "/description" : "/name"
  return found === null
    ? []
    : [signal("class.sensitive-data", "R2", ["read_sensitive"], pointer, `it speaks of ${quote(found)}`)]
}

function sensitiveWord(words: readonly string[]): string | null {
  const word = words.find((one) => isWord(SENSITIVE_WORDS, one))
  if (word !== undefined) return word
  const at = words.findIndex((one, i) => SENSITIVE_PAIRS.has(`${one}:${words[i + 1] ?? ""}`))
  return at < 0 ? null : words.slice(at, at + 2).join(" ")
}

/** A hint that admits risk is believed; one that denies it never is. */
const hintSignals = (tool: JsonObject): readonly Signal[] =>
  memberOf(memberOf(tool, "annotations"), "destructiveHint") === true
    ? [
        signal(
          "class.destructive-hint",
          "R3",
          ["destructive"],
          "/annotations/destructiveHint",
          "it says that it may destroy",
        ),
      ]
    : []
