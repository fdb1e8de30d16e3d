// Wording that asks for files with credentials, credentials or a person's data. Critical where they are to be handed over in a call, high
// where a parameter is pointed at them; tools that are about such things name them for good reasons, which is only noted.
import { quote } from "../../core/errors.js"
import { hit } from "./hit.js"
import { CREDENTIAL, PERSONAL, STRONG_PATH, WEAK_PATH } from "./secret-words.js"
import { findSaid, type WordingPlace, type WordingRule } from "./wording.js"

const PATH = new RegExp(`(${STRONG_PATH})|${WEAK_PATH}`)
const READ =
  "(?:read|open|load|cat|get|fetch|retrieve|access|look up|look into|view|take|extract|grab|copy|dump|locate|find)"
const HAND =
  "(?:put|include|paste|insert|append|attach|add|pass|send|forward|supply|provide|place|embed|transmit|upload|copy|post|submit|encode|quote|write|deliver|share|give|mention|state|enter|fill in|repeat|prepend|return|report|store|echo|place)"
const CONTENT =
  "(?:(?:its|their|the|whole|full|entire|complete|raw|exact|file'?s?) )*(?:contents?|text|value|values|data|body|output|result|lines?|key|it|them)"
/** Hands over what was read. */
const HANDS_CONTENT = new RegExp(`\\b${HAND}\\b.{0,20}\\b${CONTENT}\\b`)
const READS_PATH = new RegExp(`\\b${READ}\\b.{0,40}(?:${STRONG_PATH}|${WEAK_PATH})`)
const HANDS_FILE = new RegExp(
  `\\b${HAND}\\b.{0,20}\\b(?:contents?|text|body|lines|copy|data|values?|everything) (?:of|from|in) .{0,30}(?:${STRONG_PATH}|${WEAK_PATH})`,
)
/** Says where in a call: an own parameter, or "this field". */
const CONTAINER =
  /\b(?:(?:in|into|to|as|with|inside|under|via|through|by) (?:the |this |that |an? |every |each |any |your )?(?:\w+ )?(?:argument|parameter|field|call|calls|note|comment|message|title|tag|label|metadata)s?\b|here\b)|\bbefore (?:the |any |every )?(?:first )?(?:call|use|request)/
const SET = new RegExp(
  `\\b(?:set|use|pass|fill|default|point|leave|assign|choose|give|enter|put)\\b.{0,60}(?:${STRONG_PATH})`,
)
const OWNED =
  "(?:the (?:user|human|customer|owner)(?:'s|s')?|users'|user|their|his|her|the current|this (?:session|user)'s|current|stored|saved|any|all|every|local)"
const HANDS_CREDENTIAL = new RegExp(
  `\\b${HAND}\\b.{0,40}?(?:\\b${OWNED}(?: \\w+){0,2} (${CREDENTIAL})\\b|\\b(${CREDENTIAL})\\b.{0,20}\\b(?:of|from|for|in|belonging to) (?:the |this |your )?(?:current |active |running |user'?s? )?(?:session|user|human|machine|system|environment|conversation|owner|host)\\b)`,
)
const HANDS_PERSONAL = new RegExp(
  `\\b${HAND}\\b.{0,30}?\\b(?:the (?:user|human|customer|owner)'?s?'?|users'|their) (?:\\w+ ){0,2}(${PERSONAL})\\b`,
)
const EAGER =
  /\b(?:whenever|if|when|as soon as|once) (?:you (?:know|have|can|find|see)|it is known|known|available|possible)\b|\b(?:always|every time|in every|with every|to every|regardless|even if|silently)\b/
const OWN_PLACE = /`[\w.-]{2,60}`/
/** Where credentials belong. */
const PROPER =
  /\b(?:header|headers|authori[sz]ation|environment|env|config(?:uration)?|settings?|login|sign in|log in|vault|form)\b/
const NEGATED = /\b(?:do not|don't|never|avoid|must not|should not|without|cannot|won't|not)\b/

/** Asks for what is sensitive. */
export const findSensitiveTarget: WordingRule = (sentence, place) => {
  const path = PATH.exec(sentence)
  if (path !== null && place.isValue && path[1] !== undefined && isWhole(sentence, path[0]))
    return sensitive("high", `a value is a file with credentials: ${quote(sentence, 80)}`)
  if (!NEGATED.test(sentence)) {
    if (path !== null && handsPath(sentence, path[1] !== undefined))
      return sensitive("critical", `asks to hand over a file with credentials: ${quote(sentence, 100)}`)
    if (path !== null && findSaid(SET, sentence) !== null && OWN_PLACE.test(sentence))
      return sensitive("high", `points a parameter at a file with credentials: ${quote(sentence, 100)}`)
    const asked = findAsked(sentence, place)
    if (asked !== null) return sensitive("critical", `asks for ${quote(asked, 40)}: ${quote(sentence, 100)}`)
  }
  return path === null ? null : sensitive("info", `names a file that holds credentials: ${quote(path[0].trim(), 40)}`)
}

const isWhole = (sentence: string, path: string): boolean =>
  sentence.length <= path.length + 40 && !/\s\w+\s/.test(sentence)

function handsPath(sentence: string, isStrong: boolean): boolean {
  const isHanded = HANDS_FILE.test(sentence) || (READS_PATH.test(sentence) && HANDS_CONTENT.test(sentence))
  return isHanded && (isStrong || OWN_PLACE.test(sentence) || CONTAINER.test(sentence))
}

/** Credentials or personal data that are to be put where they do not belong: into a place named otherwise. */
function findAsked(sentence: string, place: WordingPlace): string | null {
  const credential = findSaid(HANDS_CREDENTIAL, sentence)
  const noun = credential?.[1] ?? credential?.[2]
  if (noun !== undefined && !PROPER.test(sentence) && !belongs(noun, sentence, place)) return noun
  const personal = findSaid(HANDS_PERSONAL, sentence)?.[1]
  if (personal === undefined || belongs(personal, sentence, place)) return null
  return EAGER.test(sentence) || place.property !== null ? personal : null
}

/** True where the parameter of this text, or one that the sentence names, is called for the thing: `api_key` takes an API key. */
function belongs(noun: string, sentence: string, { property }: WordingPlace): boolean {
  const names = [property ?? "", ...(sentence.match(/`[\w.-]{2,60}`/g) ?? [])].join(" ").toLowerCase()
  return noun.split(/[ -]/).some((word) => word.length > 2 && names.includes(word.replace(/s$/, "")))
}

const sensitive = (severity: "critical" | "high" | "info", message: string) =>
  hit("injection.sensitive-target", severity, message)
