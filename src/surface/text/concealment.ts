// Wording that keeps something from the user. Grave where what is kept back is the model's own act; "do not show raw ids to the user" is
// about data, and only noted.
import { quote } from "../../core/errors.js"
import { hit } from "./hit.js"
import { findSaid, type WordingRule } from "./wording.js"

const NOT =
  "(?:do not|don't|dont|must not|mustn't|should not|shouldn't|shall not|may not|never|without|avoid|refrain from|rather than|not to|no need to|need not|not)"
/** Verbs of telling: with "it" or "this" they are about an act. */
const TELL =
  "(?:mention|tell|inform|notify|acknowledg|announc|discuss|bring up|bringing up|refer to|referring to|alert|admit|confess|allude to|say)(?:e|ing|ting)?"
/** Verbs of showing: with "it" or "this" they are about data. */
const SHOW = "(?:reveal|disclos|report|explain|describ|shar|show|display|expos|print|surfac|present)(?:e|ing)?"
const AUDIENCE =
  "(?:(?:the|your|our|this|any|end|human)[ -]){0,3}(?:user|human|operator|person|people|customer|anyone|anybody|owner|reviewer)s?\\b"
/** What a model does. */
const ACT =
  "(?:step|call|action|request|instruction|activity|behaviou?r|operation|transfer|upload|copying|forwarding|lookup|fact|exchange|submission|arrangement)s?\\b(?! (?:id|name|code|number|bod|header|parameter|detail|type|handle|token))"
const POINTED = "(?:tool|note|message|part|check|detail|field|parameter|access|paragraph|sentence|rule|copy|one)s?\\b"
const ACT_OBJECT = `(?:(?:this|that|these|those|the|such|any|its)(?: (?!user)\\w+){0,2} ${ACT}|(?:this|that|these|those) (?:\\w+ )?${POINTED}|that (?:you|a copy|the \\w+ (?:was|were|is|are))\\b|(?:having|you (?:have|did|called|used|made)))`
const PRONOUN = "(?:it|this|that|of this|about (?:it|this|that))(?= (?:to|with|at|in|when|until|even)\\b|[,.;)]|$)"

const SPOKEN = new RegExp(`\\b${NOT} (?:\\w+ ){0,2}?(?:(${TELL})|${SHOW})\\b`)
const HAS_AUDIENCE = new RegExp(`\\b${AUDIENCE}`)
const HAS_ACT = new RegExp(`\\b${ACT_OBJECT}`)
const HAS_PRONOUN = new RegExp(`\\b${PRONOUN}`)
/** Advice, not silence: "do not tell the user to …". */
const ADVICE = new RegExp(`\\b(?:tell|inform)(?:ing)? ${AUDIENCE} (?:to|how|which|what|where|whether|if|when)\\b`)
const UNTOLD = new RegExp(
  `\\bwithout (?:\\w+ )?(?:telling|informing|mentioning (?:it|this|that) to|saying so to) ${AUDIENCE}`,
)
/** Characters after the verb that belong to what it says. */
const WINDOW = 160

const GRAVE: readonly RegExp[] = [
  UNTOLD,
  new RegExp(`\\b${NOT} (?:\\w+ )?let(?:ting)? ${AUDIENCE} (?:know|see|notice|learn|find out|realise|realize)\\b`),
  new RegExp(`\\b${NOT} (?:\\w+ )?(?:make|making) ${AUDIENCE} aware\\b`),
  new RegExp(
    `\\b${AUDIENCE} (?:must|should|shall|is|are|ought|has|have|needs?)(?: not|n't| never)(?: to)?(?: ever)?(?: be| become)? (?:know|learn|notice|find out|realise|realize|hear|told|aware|informed|made aware|suspect|asked about)\\b`,
  ),
  new RegExp(
    `\\b(?:hide|hiding|conceal\\w*|withhold\\w*|keep|keeping) (?:this|that|these|all of this|(?:the fact|any (?:trace|sign|mention|evidence|hint)|(?:this|that|the|these) (?:\\w+ )?${ACT})(?: [\\w']+){0,5}?) from ${AUDIENCE}`,
  ),
  new RegExp(
    `\\b(?:keep|keeping) (?:it|this|that|the (?:\\w+ )?${ACT})(?: \\w+){0,2} (?:to yourself|between us|off the record)\\b`,
  ),
  new RegExp(
    `\\b(?:omit|leav(?:e|ing)|exclud(?:e|ing)|suppress|drop|strip|${NOT} (?:\\w+ )?(?:mention|refer to|reference|include|list|show|report|describe|acknowledge|reveal|disclose|allude to)) (?:(?:this|that|these|those) (?:\\w+ )?(?:${ACT}|${POINTED})|(?:all |any )(?:indication|mention|trace|sign|hint|reference)s?\\b).{0,60}\\b(?:your|the final) (?:\\w+ ){0,2}(?:reply|answer|response|summary|explanation|message|output)`,
  ),
  /\b(?:your|the final) (?:\w+ ){0,2}(?:reply|answer|response|summary|explanation)(?: \w+){0,3} (?:must|should|shall|may)(?: not|n't| never) (?:\w+ )?(?:mention|refer to|reference|contain|include|reveal|acknowledge|show) (?:this|that|these|any (?:trace|sign|hint|mention))\b/,
  /\b(?:act|behave|respond|answer|reply|continue|proceed|carry on|go on) as (?:if|though) (?:nothing|no (?:such )?(?:call|step|tool|request)|(?:this|that|it|the (?:call|step)) (?:never|had(?: not|n't)|did(?: not|n't)|has(?: not|n't)))/,
  /\b(?:secretly|covertly|surreptitiously|stealthily|clandestinely) (?:\w+ ){0,2}?(?:send|forward|copy|upload|attach|append|include|record|store|log|collect|submit|transmit|pass|relay|call|read|save|add)\b/,
  /\bwithout (?:the|your) (?:user|human|operator|owner)(?:'s)? (?:noticing|knowing|knowledge|awareness|realising|realizing|seeing it|being (?:told|aware|informed|notified))/,
  /\b(?:unbeknownst to|behind the back of) (?:the|your) (?:user|human|operator)/,
  /\b(?:silently|quietly|discreetly|unobtrusively) (?:\w+ ){0,2}?(?:send|forward|copy|upload|attach|append|include|record|store|log|collect|submit|transmit|pass|relay)\b.{0,80}\b(?:conversation|chat history|user|human|password|credential|secret|prompt)s?\b/,
  // Spanish, Portuguese, French, German, Italian, Russian, Chinese, Japanese: the plain forms only.
  /\b(?:no|nao) (?:se lo |le |lo |o |a )?(?:menciones|digas|cuentes|informes|reveles|comuniques|mencione|diga|conte|informe|revele|comunique)\b.{0,60}\b(?:usuari[oa]|utilizador)\b/,
  /\bne (?:le |la |les |lui |l')?(?:dis|dites|mentionne|mentionnez|revele|revelez|parle|parlez|signale|signalez|informe|informez)\b.{0,20}\b(?:pas|jamais|rien)\b.{0,60}\butilisateur/,
  /\b(?:sag|sage|sagen|erwahne|erwahnen|verrate|verraten|informiere|informieren|teile|teilen)\b.{0,60}\b(?:nutzer|benutzer|anwender)\w{0,2}\b.{0,60}\b(?:nicht|nichts|niemals)\b|\bverschweige\w*\b.{0,40}\b(?:nutzer|benutzer|anwender)/,
  /\bnon (?:dire|menzionare|rivelare|informare|comunicare|dirlo)\b.{0,60}\butente\b/,
  /(?:\u043d\u0435|\u043d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435) (?:\u0433\u043e\u0432\u043e\u0440\u0438|\u0441\u043e\u043e\u0431\u0449\u0430|\u0443\u043f\u043e\u043c\u0438\u043d\u0430|\u0440\u0430\u0441\u0441\u043a\u0430\u0437\u044b\u0432\u0430|\u0440\u0430\u0441\u043a\u0440\u044b\u0432\u0430).{0,40}\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442\u0435\u043b/,
  /(?:\u4e0d\u8981|\u8bf7\u52ff|\u5207\u52ff|\u4e0d\u5f97|\u4e0d\u80fd)(?:\u5411|\u5bf9|\u8ba9)?\u7528\u6237?.{0,8}(?:\u63d0|\u8bf4|\u900f\u9732|\u77e5\u9053|\u62ab\u9732)|(?:\u4e0d\u8981|\u8bf7\u52ff|\u5207\u52ff)\u544a\u8bc9\u7528\u6237/,
  /\u30e6\u30fc\u30b6\u30fc\u306b.{0,12}(?:\u4f1d\u3048\u306a\u3044|\u8a00\u308f\u306a\u3044|\u77e5\u3089\u305b\u306a\u3044)/,
]

/** Says that something is kept from the user. */
export const findConcealment: WordingRule = (sentence) => {
  const grave = GRAVE.map((pattern) => findSaid(pattern, sentence)).find((match) => match !== null)
  if (grave) return concealment("critical", grave[0])
  const spoken = findSaid(SPOKEN, sentence)
  if (spoken === null) return null
  const window = sentence.slice(spoken.index, spoken.index + WINDOW)
  if (!HAS_AUDIENCE.test(window)) return null
  const isAct = HAS_ACT.test(window) || (spoken[1] !== undefined && HAS_PRONOUN.test(window))
  return concealment(isAct && !ADVICE.test(window) ? "critical" : "info", window)
}

const concealment = (severity: "critical" | "info", said: string) =>
  hit("injection.concealment", severity, `says to keep something from the user: ${quote(said, 100)}`)
