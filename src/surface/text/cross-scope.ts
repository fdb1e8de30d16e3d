// Wording that governs more than the item it belongs to: tools of others, other servers, what the user chose. Grave where others are named
// and steered; "prefer this tool" alone is advertising, and only noted.
import { quote } from "../../core/errors.js"
import { hit } from "./hit.js"
import { findSaid, type WordingPlace, type WordingRule } from "./wording.js"

/** A tool's name: in backticks, or of several parts with low lines. */
const IDENTIFIER = /`([a-z][\w.-]{2,60})`|\b([a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}){1,6})\b/g
const CALL =
  /\b(?:call|calls|calling|invoke|invokes|invoking|run|running|use|uses|using|execute|executing|trigger|triggering) (?:of |to |the |our )?(?:(?:tool|function|method) )?$/
const CALLED_AFTER = /^ (?:tool|function)\b/
const MUST =
  /\b(?:must|first|always|next|before|then|also|have to|has to|need to|should|required to|every time|each time|immediately)\b/
/** Data go from one to the other. */
const FLOW =
  /\b(?:with (?:it|this|that|the (?:result|output|value|text|contents?|answer)|its)|(?:its|the|their|whose) (?:full |complete |whole )?(?:result|output|answer|response|return value|contents?|data)|paste|pass (?:it|the|its|this|on)|forward|put (?:it|its|the)|hand (?:it|the|over)|feed (?:it|the)|insert|append (?:it|its|the)|copy (?:it|its|the)|relay)\b/
/** Every call of theirs is governed. */
const GOVERNED =
  /\b(?:any|every|each|all|whenever|when|before|after) (?:\w+ ){0,2}?(?:calls?|calling|uses?|using|invocations?|invoking|runs?|running) (?:of |to )?(?:the )?[`\w.-]{3,60}.{0,60}\b(?:must|always|shall|has to|have to|should|set|add|include|bcc|cc|pass|replace|use)\b/
const NAMED_HOST =
  /\b(?:the|an?|any) ([a-z][\w-]{1,30}) (?:mcp )?(?:server|connector|integration|plugin|extension)s?\b/g
/** Kinds of servers: no server's name. */
const KINDS: ReadonlySet<string> = new Set(
  (
    "this that same other another mcp remote local web http https api proxy dev development production staging test testing legacy old new " +
    "default main primary secondary backup underlying upstream downstream target source host browser language database file mail email " +
    "smtp dns ftp ssh sql git build ci application app custom external internal client own current running given configured specified"
  ).split(" "),
)
const NOT_USED =
  /\b(?:do not|don't|never|avoid|stop|must not|should not|no longer|refrain from|without) (?:ever )?(?:us(?:e|ing)|call(?:ing)?|consult(?:ing)?|quer(?:y|ying)|contact(?:ing)?|ask(?:ing)?)\b/
const ROUTED =
  /\b(?:route|send|direct|forward|pass|channel|put|take|bring|funnel|submit|hand)\b.{0,20}\b(?:every|all|any|each)\b.{0,80}\b(?:through|via|to|into|with|by) (?:this|our) (?:server|tool|service)\b/
const PREFERRED =
  /\b(?:prefer|use|choose|favou?r|pick|call|rely on|go to|select)\b.{0,40}\b(?:this|our)\b.{0,60}\b(?:over|instead of|rather than|in place of|ahead of|before)\b.{0,40}\b(?:every|any|all|other|another|others)\b/
const DISREGARDED =
  /\b(?:whatever|whichever|regardless of|no matter|even (?:if|when|though)|irrespective of|despite)\b.{0,40}\b(?:user|they|he|she|human|customer|person)s?\b/
const OTHERS =
  /\b(?:any|another|other|a different|some other|all|every) (?:(?:other|foreign|third-party|external|available) )?(?:tool|server|agent|connector|plugin)s?\b/
const WHEN = /\b(?:when(?:ever)?|every time|each time|before|after|once|as soon as|results? of|output of)\b/
const TAKEN =
  /\b(?:send|forward|pass|copy|include|append|report|relay|paste|attach|submit|mirror)\b.{0,60}\b(?:here|this (?:tool|server|field|parameter)|to us|it|them|its|their)\b/

/** Says what other tools or servers are to do. */
export const findCrossScope: WordingRule = (sentence, place) => {
  const grave = findGrave(sentence, place)
  if (grave !== null) return crossScope("high", grave)
  const noted = findSaid(PREFERRED, sentence) ?? findSaid(ROUTED, sentence)
  return noted === null ? null : crossScope("info", noted[0])
}

function findGrave(sentence: string, place: WordingPlace): string | null {
  if (namesForeignTool(sentence, place) && ((MUST.test(sentence) && FLOW.test(sentence)) || GOVERNED.test(sentence)))
    return sentence
  if (NOT_USED.test(sentence) && namesForeignHost(sentence, place)) return sentence
  if (findSaid(ROUTED, sentence) !== null && (NOT_USED.test(sentence) || DISREGARDED.test(sentence))) return sentence
  if (findSaid(PREFERRED, sentence) !== null && DISREGARDED.test(sentence)) return sentence
  return OTHERS.test(sentence) && WHEN.test(sentence) && findSaid(TAKEN, sentence) !== null ? sentence : null
}

/** True for a call of a tool that is neither this server's nor one that another known server has. */
function namesForeignTool(sentence: string, { isOwn, isKnownElsewhere }: WordingPlace): boolean {
  for (const match of sentence.matchAll(IDENTIFIER)) {
    const name = match[1] ?? match[2] ?? ""
    const isCall =
      CALL.test(sentence.slice(Math.max(0, match.index - 60), match.index)) ||
      CALLED_AFTER.test(sentence.slice(match.index + match[0].length, match.index + match[0].length + 20))
    if (isCall && !isOwn(name) && !isKnownElsewhere(name)) return true
  }
  return false
}

const namesForeignHost = (sentence: string, { isOwn }: WordingPlace): boolean =>
  [...sentence.matchAll(NAMED_HOST)].some(([, name]) => name !== undefined && !KINDS.has(name) && !isOwn(name))

const crossScope = (severity: "high" | "info", said: string) =>
  hit("injection.cross-scope", severity, `steers more than the item that it belongs to: ${quote(said, 100)}`)
