// What the parameters of a tool say of its class: where data can go, what is run, what becomes final, what is added to an answer.
import { quote } from "../../core/errors.js"
import {
  ADDRESS_WORDS,
  CODE_TAILS,
  CODE_TEXT,
  CODE_WORDS,
  CODED_WORDS,
  CONTENT_WORDS,
  FILE_WORDS,
  FINAL_FLAGS,
  FORCING_FLAGS,
  HANDING_WORDS,
  INCLUDED_WORDS,
  INCLUDING_WORDS,
  LABEL_WORDS,
  OUTPUT_NAMES,
  OUTPUT_TEXT,
  QUERY_LANGUAGE,
  QUERY_WORDS,
  RECEIVING_WORDS,
  RECIPIENT_WORDS,
  TARGET_PAIRS,
  TARGET_TEXT,
  TARGET_WORDS,
  TOKEN_NAMES,
  WHOLE_CONTENTS,
} from "./class-words.js"
import type { Parameter } from "./parameters.js"
import type { Kind, Signal } from "./tool-class.js"
import type { ToolDeed } from "./tool-signals.js"
import { clipText, isWord, lastPair } from "./word-forms.js"

/** What a parameter says in a tool that does `deed`. */
export function parameterSignals(parameter: Parameter, deed: ToolDeed): readonly Signal[] {
  const { pointer, name } = parameter
  const say = (rule: string, tier: Signal["tier"], kinds: readonly Kind[], message: string): Signal => ({
    rule,
    tier,
    kinds,
    pointer,
    message: `${quote(name)} ${message}`,
  })
  if (parameter.isFamily) {
    const isGrave = isTarget(parameter) || isCode(parameter, deed) || parameter.words.some((one) => namesGrave(one))
    return isGrave
      ? [
          say(
            "class.open-names",
            "R4",
            ["egress"],
            "opens a family of names, of which some name code or where data goes",
          ),
        ]
      : []
  }
  return [
    isTarget(parameter) && say("class.target", "R4", ["egress"], "lets the caller choose where to connect"),
    isRecipient(parameter, deed) && say("class.recipient", "R4", ["egress"], "lets the caller choose who gets it"),
    isCode(parameter, deed) && say("class.code", "R5", ["code_exec"], "takes what is run"),
    isFinal(parameter, deed) && say("class.final-flag", "R5", ["destructive"], "makes what is done final"),
    isOverwritten(parameter, deed) &&
      say("class.overwrite", "R5", ["write", "destructive"], "is written whole, whatever was there before"),
    isOutput(parameter, deed) &&
      say("class.output-path", "R3", ["write"], "lets the caller choose where a file is written"),
    isIncluding(parameter) && say("class.sensitive-flag", "R2", ["read_sensitive"], "adds what is sensitive"),
  ].filter((signal) => signal !== false)
}

const namesGrave = (word: string): boolean => isWord(TARGET_WORDS, word) || isWord(CODE_WORDS, word)

/** An address, by name, format or description, that nothing keeps to one host. */
function isTarget({ words, shape, description }: Parameter): boolean {
  if (!shape.isAnywhere) return false
  const last = words.at(-1) ?? ""
  if (isWord(TARGET_WORDS, last) || TARGET_PAIRS.has(lastPair(words))) return true
  return [...shape.formats].some((format) => ADDRESS_FORMATS.has(format)) || TARGET_TEXT.test(clipText(description))
}

const ADDRESS_FORMATS = new Set("uri url iri uri-reference iri-reference hostname idn-hostname ipv4 ipv6".split(" "))
const DATE_FORMATS = ["date", "date-time", "time"]

function isRecipient({ words, shape, siblings }: Parameter, { isSending }: ToolDeed): boolean {
  if (!shape.isText || DATE_FORMATS.some((format) => shape.formats.has(format))) return false
  const [last = "", before = ""] = [words.at(-1), words.at(-2)]
  if (isWord(RECIPIENT_WORDS, last)) return true
  const hasContent = [...CONTENT_WORDS].some((word) => siblings.has(word) || siblings.has(`${word}s`))
  if (last === "to" && words.length === 1) return isSending || hasContent || !siblings.has("from")
  if (last === "to" || last === "with") return HANDING_WORDS.has(before)
  const isAddress = words.slice(-2).some((word) => isWord(ADDRESS_WORDS, word)) && !CODE_TAILS.has(last)
  if (!isAddress) return false
  return isSending || hasContent || words.some((word) => isWord(RECEIVING_WORDS, word))
}

/** What is run, by name, or by a description beside a name that says little. */
function isCode({ words, shape, description }: Parameter, { names, text }: ToolDeed): boolean {
  if (!shape.isFree) return false
  const head = words.findLast((word, i) => i === 0 || !CODE_TAILS.has(word)) ?? ""
  const before = words[words.lastIndexOf(head) - 1] ?? ""
  if (isWord(CODE_WORDS, head) && !CODED_WORDS.has(before)) return true
  const last = words.at(-1) ?? ""
  if (isWord(LABEL_WORDS, last)) return false
  const own = clipText(description)
  if (isWord(QUERY_WORDS, last) && (QUERY_LANGUAGE.test(own) || words.some((word) => QUERY_LANGUAGE.test(word))))
    return true
  if (["query", "statement"].includes(last) && (QUERY_LANGUAGE.test(text) || QUERY_LANGUAGE.test(names.join(" "))))
    return true
  return CODE_TEXT.test(own)
}

function isFinal({ words, shape }: Parameter, { isReading }: ToolDeed): boolean {
  if (!shape.isFlag || shape.isNumber) return false
  const name = words.join(":")
  return FINAL_FLAGS.has(name) || (FORCING_FLAGS.has(name) && !isReading)
}

const hasToken = (siblings: ReadonlySet<string>): boolean =>
  siblings.has("sha") || [...siblings].some((name) => TOKEN_NAMES.has(name.replaceAll(" ", "_")))

/** A path beside the whole contents of what stands there, without a token that what is replaced is what was read. */
function isOverwritten({ words, shape, siblings }: Parameter, { isWriting, isAppending }: ToolDeed): boolean {
  if (!isWriting || isAppending || !shape.isFree || !FILE_WORDS.has(words.at(-1) ?? "")) return false
  return [...WHOLE_CONTENTS].some((name) => siblings.has(name)) && !hasToken(siblings)
}

function isOutput({ words, shape, description }: Parameter, { isMoving }: ToolDeed): boolean {
  if (!shape.isFree) return false
  const name = words.join("_")
  if (OUTPUT_NAMES.has(name)) return name !== "destination" || isMoving
  return isWord(FILE_WORDS, words.at(-1) ?? "") && OUTPUT_TEXT.test(clipText(description))
}

const isIncluding = ({ words, shape }: Parameter): boolean =>
  shape.isFlag && INCLUDING_WORDS.has(words[0] ?? "") && words.slice(1).some((word) => isWord(INCLUDED_WORDS, word))

/** True where a parameter says that what is changed must be what was read. */
export const isToken = ({ words, siblings }: Parameter): boolean =>
  TOKEN_NAMES.has(words.join("_")) ||
  (words.join("_") === "sha" && [...WHOLE_CONTENTS].some((name) => siblings.has(name)))
