// Wording that puts itself above what the model was told, or above the user's word. Grave where guidance of the reader is named and declared
// void, or approval is given in the user's name; a parameter that "overrides the system prompt" of something else is only noted.
import { quote } from "../../core/errors.js"
import { hit } from "./hit.js"
import { findSaid, type WordingPlace, type WordingRule } from "./wording.js"

const GUIDANCE =
  "(?:instructions?|guidance|guidelines?|directives?|system (?:prompt|message)|developer (?:prompt|message)|programming|training|briefing|safety (?:filters?|checks?|measures?|rules?|guidelines?|polic(?:y|ies)|training)|guardrails?|safeguards?)"
/** What other things have too: they need a reader. */
const RULES = "(?:rules?|polic(?:y|ies)|constraints?|restrictions?|orders?|prompts?|limits|limitations)"
const EARLIER =
  "(?:previous|prior|earlier|preceding|foregoing|above|all|any|other|system|developer|your|existing|original|initial|safety|core|the user's)"
const YOURS = "(?:your|system|developer|safety|all your|any of your)"
const REFERENT = `(?:(?:${EARLIER} (?:(?:of |the |your |previous |prior |earlier |system |other |and ){0,3})${GUIDANCE})|(?:system prompt|guardrails|safeguards|safety (?:filter|check|guideline|rule|measure)s?)|(?:${YOURS} (?:\\w+ )?${RULES}))`
/** Where an order begins. */
const ORDER =
  "(?:^|[,;:.(!\\u2014-] ?|\\b(?:and|then|must|should|shall|you|please|now|also|simply|first|may|can|will|to|assistant|agent|model|ai) )"
const DROP =
  "(?:ignore|disregard|forget|override|bypass|discard|abandon|set aside|put aside|dismiss|neglect|overrule|pay no (?:attention|heed) to|(?:do not|don't|never) (?:follow|obey|apply|heed|honou?r|comply with|adhere to)|stop (?:following|obeying|applying)|disobey|violate)"

const ORDERED = new RegExp(`${ORDER}${DROP}(?: \\w+){0,1}? ${REFERENT}`)
const TOLD =
  /\b(?:guidance|instructions?|rules?|guidelines?|directives?|polic(?:y|ies)|orders?|constraints?|restrictions?|what|whatever|anything|everything|message)\b.{0,30}\b(?:you (?:were|have been|had been|'ve been|are|got|received)|given to you|(?:from|by|of) (?:your|the) (?:developer|operator|system|user|host)|(?:at|from) the (?:start|beginning|top|outset)|(?:came|come|comes|stated|received|issued|written|said) (?:before|earlier|previously|above|so far))\b/
const VOID =
  /\b(?:no longer (?:appl\w+|valid|bind\w*|counts?|matters?|holds?|in force|in effect|relevant)|stop(?:s|ped)? (?:applying|counting|being)|(?:is|are|was|were|be|becomes?|became|now|considered?|as) (?:now |hereby )?(?:void|null|obsolete|superseded|suspended|cancell?ed|revoked|replaced|expired|outdated|overridden|irrelevant|secondary|subordinate|invalid|inapplicable|moot)|do(?:es)?(?: not|n't) (?:apply|count|bind|matter)|ceas(?:e|es|ed) to|laps(?:es?|ed)|expires?|yields? to|gives? way to|(?:takes?|has|have) (?:precedence|priority) over|outranks?|supersedes?|overrides?|overrules?|trumps?|replaces?|prevails? over|nullif\w+|not binding)\b/
const SELF_ABOVE = new RegExp(
  `\\b(?:these (?:instructions|lines|notes|words|sentences)|this (?:text|description|note|message|paragraph|section)|the (?:text|following|instructions) (?:here|below)?|what is written here)\\b.{0,60}\\b(?:supersed\\w+|overrid\\w+|(?:takes?|has|have) (?:precedence|priority) over|outranks?|replaces?|prevails? over|trumps?|come before)\\b.{0,60}\\b(?:${GUIDANCE}|user(?:'s)?|developer|anything|everything)\\b`,
)
const ADDRESSED =
  /(?:^|[("'[{.;,!>-]\s?)(?:(?:dear|hey|hi|hello|attention|system note(?: (?:to|for)(?: the)?)?|note (?:to|for)(?: the)?|message (?:to|for)(?: the)?|for(?: the)?|to(?: the)?|any|all) )?(?:assistant|ai(?: (?:model|agent|assistant))?|language model|llm|model|agent|claude|chatgpt|gpt|copilot|gemini)s?\s?[:,\u2014\u2013-]\s/
const APPROVAL =
  /\b(?:approv\w+|confirm\w*|consent\w*|authori[sz]\w+|permission|permitted|pre-?approved|trusted|verified|without (?:asking|prompting|waiting)|do(?: not|n't) ask|never ask|skip\w* (?:the )?(?:approval|confirmation|prompt|dialog)\w*|auto-?(?:run|approve|accept|confirm)\w*)\b/
/** The user's yes, given by somebody else. */
const GRANTED =
  /\b(?:user|human|operator|owner)s?(?: has| have| had|'s)? (?:already|previously|implicitly|automatically|beforehand|permanently) (?:approved|consented|agreed|confirmed|authori[sz]ed|granted|permitted|accepted|allowed)\b|\b(?:already|pre-?|implicitly |permanently )\s?(?:approved|confirmed|authori[sz]ed|consented to|agreed to|accepted) by the (?:user|human|operator|owner)\b/
const CONDITIONAL =
  /\b(?:if|after|once|when|whenever|unless|until|whether|only|where|check|checks|ensure|verify|make sure|returns?|true)\b/
const UNASKED =
  /\b(?:approv\w+|accept|confirm|allow|grant|run|execute|proceed|call|invoke|use)\b.{0,40}\bwithout (?:asking|confirm\w*|approval|consent|prompting|permission|waiting)/
const UNBOUND =
  /\byou are (?:now )?(?:in )?(?:developer|debug|god|unrestricted|jailbreak|maintenance|dan)\b.{0,10}\bmode\b|\b(?:free of|not bound by|exempt from|no longer bound by) (?:any|all|your|the) (?:\w+ )?(?:rules|restrictions|guidelines|policies|instructions|safety checks|filters|limits)\b/
// Spanish, Portuguese, French, German, Italian, Russian, Chinese, Japanese: the plain forms only.
const FOREIGN: readonly RegExp[] = [
  /\b(?:ignora|ignore|olvida|esqueca|descarta|descarte|desconsidere)\w{0,2} (?:\w+ ){0,3}(?:instrucciones|instrucoes|indicaciones|orientacoes|reglas|regras)\b.{0,20}\b(?:anterior|previa|recibida|recebida|dada)\w*/,
  /\b(?:ignore|ignorez|oublie|oubliez)\b (?:\w+ ){0,3}(?:instructions|consignes|directives|regles)\b.{0,20}\b(?:precedente|anterieure|recue|donnee)\w*/,
  /\b(?:ignorier|vergiss|vergesst|missachte|verwirf)\w* (?:\w+ ){0,3}(?:vorherigen|bisherigen|fruheren|vorigen|vorangegangenen|obigen)\w* (?:\w+ )?(?:anweisungen|vorgaben|regeln|instruktionen)/,
  /\b(?:ignora|dimentica)\w* (?:\w+ ){0,3}istruzioni\b.{0,20}\b(?:precedenti|ricevute|date)\b/,
  /(?:\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443|\u0437\u0430\u0431\u0443\u0434).{0,30}(?:\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449|\u043f\u0440\u0435\u0436\u043d).{0,20}(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u0443\u043a\u0430\u0437\u0430\u043d|\u043f\u0440\u0430\u0432\u0438\u043b)/,
  /(?:\u5ffd\u7565|\u65e0\u89c6|\u5fd8\u8bb0).{0,8}(?:\u4e4b\u524d|\u4ee5\u524d|\u5148\u524d|\u4ee5\u4e0a|\u6b64\u524d|\u6240\u6709).{0,8}(?:\u6307\u4ee4|\u6307\u793a|\u89c4\u5219|\u63d0\u793a)/,
  /(?:\u4ee5\u524d|\u3053\u308c\u307e\u3067|\u524d).{0,4}\u306e(?:\u6307\u793a|\u547d\u4ee4|\u30eb\u30fc\u30eb).{0,6}(?:\u7121\u8996|\u5fd8\u308c)/,
]
const NOTED =
  /\b(?:ignor\w+|disregard\w*|overrid\w+|supersed\w+|bypass\w*)\b.{0,40}\b(?:instructions?|guidelines?|system prompt|guardrails?)\b|<\/?(?:important|system|instructions?|secret|admin|hidden)>|\[(?:system|inst|note to ai)\]|\bfrom now on,? you\b/

/** Says that earlier guidance is void, or that the user has agreed. */
export const findOverride: WordingRule = (sentence, place) => {
  const grave = findGrave(sentence, place)
  if (grave !== null) return override("high", grave)
  const noted = NOTED.exec(sentence) ?? UNASKED.exec(sentence)
  return noted === null ? null : override("info", noted[0])
}

function findGrave(sentence: string, place: WordingPlace): string | null {
  const said = [ORDERED, SELF_ABOVE, UNBOUND, ...FOREIGN]
    .map((pattern) => findSaid(pattern, sentence))
    .find((m) => m !== null)
  if (said) return said[0]
  const told = findSaid(TOLD, sentence)
  if (told !== null && VOID.test(sentence)) return sentence
  const granted = findSaid(GRANTED, sentence)
  if (granted !== null && !CONDITIONAL.test(sentence)) return granted[0]
  if (!APPROVAL.test(sentence)) return null
  if (ADDRESSED.test(sentence)) return sentence
  // What an approval dialog shows is no place to answer it.
  return place.member === "title" && UNASKED.test(sentence) ? sentence : null
}

const override = (severity: "high" | "info", said: string) =>
  hit("injection.override", severity, `puts itself above what the model or the user was told: ${quote(said, 100)}`)
