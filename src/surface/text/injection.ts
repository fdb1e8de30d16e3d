// Wording in one text: its sentences against the rules, gravest first of each rule.
import { compareSeverity } from "../../core/severity.js"
import { findConcealment } from "./concealment.js"
import { findCrossScope } from "./cross-scope.js"
import { findExfilRequest } from "./exfil-request.js"
import { foldText } from "./fold-text.js"
import type { Hit } from "./hit.js"
import { findOverride } from "./override.js"
import { findSensitiveTarget } from "./sensitive-target.js"
import { splitSentences, type WordingPlace, type WordingRule } from "./wording.js"

/** Rules, each with expressions that a sentence must match, all of them, before it is looked at closely: cheap ones, for most sentences of
 *  honest lists match none. */
const RULES: readonly (readonly [readonly RegExp[], WordingRule])[] = [
  [
    [
      /user|human|operator|person|people|customer|anyone|anybody|owner|reviewer|yourself|between us|record|repl|answer|response|summary|explanation|message|nothing|secretly|covertly|stealthily|usuari|utiliz|utilis|nutzer|anwender|utente|\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442|\u7528\u6237|\u30e6\u30fc/,
      /not\b|n't|dont|never|without|avoid|refrain|rather than|hid|conceal|withh|keep|omit|leav|exclud|suppress|drop|strip|as if|as though|ly\b|unbeknownst|behind|\bn[oe]\b|nao|nicht|niemals|verschw|\bnon\b|\u043d\u0435|\u4e0d|\u52ff|\u306a\u3044/,
    ],
    findConcealment,
  ],
  [
    [
      /instruct|guid|directive|prompt|rule|polic|order|constraint|restrict|limit|safe|training|programming|briefing|message|mode|what|everything|anything|assistant|agent|model|llm|claude|gpt|copilot|gemini|already|pre-?approved|without|important>|secret>|system|hidden>|from now on|instruc|consigne|anweisung|vorgabe|regel|istruzion|regole|indicac|\u0438\u043d\u0441\u0442\u0440\u0443\u043a|\u0443\u043a\u0430\u0437\u0430\u043d|\u043f\u0440\u0430\u0432\u0438\u043b|\u6307|\u89c4\u5219|\u63d0\u793a|\u547d\u4ee4|\u30eb\u30fc\u30eb/,
      /ignor|disregard|forget|overrid|overrul|bypass|discard|abandon|aside|dismiss|neglect|attention|heed|not\b|n't|never|stop|violat|disobey|no longer|void|null|obsolete|supersed|suspend|cancel|revok|replac|expir|outdated|irrelevant|secondary|subordinate|invalid|inapplicable|moot|ceas|laps|yield|way to|precedence|priority|outrank|trump|prevail|come before|approv|confirm|consent|authori|permi|trusted|verified|without|skip|auto|already|pre-|implicitly|mode\b|free of|exempt|[<[]|from now on|olvida|esqueca|descart|desconsider|oubli|vergiss|missachte|verwirf|dimentica|\u0438\u0433\u043d\u043e\u0440|\u0437\u0430\u0431\u0443\u0434|\u5ffd|\u65e0\u89c6|\u5fd8|\u7121\u8996/,
    ],
    findOverride,
  ],
  [
    [
      /_|`|server|connector|integration|plugin|extension|tool|service|agent/,
      /call|use|using|invok|run|execut|trigger|not\b|n't|never|avoid|route|send|direct|forward|pass|channel|put|take|bring|funnel|submit|hand|prefer|choose|favo|pick|rely|go to|select|when|before|after|once|result|output|every/,
    ],
    findCrossScope,
  ],
  [
    [
      /\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.netrc|\.git-cred|\.pgpass|password|id_|\/etc\/|wallet|keychain|login|cookie|key4|\.env|\.npmrc|\.pypirc|_history|credential|account|mcp\.json|config\.json|secret|\.pem|\.p12|\.pfx|\.kdbx|key|token|passphrase|pass ?code|phrase|2fa|-time|recovery|variable|vars|address|phone|birth|bank|card|social|salary|medical|health|whereabouts|full name|contact|calendar|tax|passport|history/,
    ],
    findSensitiveTarget,
  ],
  [
    [
      /conversation|chat|dialog|transcript|history|message|session|context|exchange|discussion|prompt|instruct|memor|reasoning|thought|everything|all|anything|whatever|cop(?:y|ies)|\bb?cc\b|mirror|duplicate/,
      /attach|includ|send|forward|append|add|pass|put|paste|copy|upload|transmit|post|submit|suppl|provid|insert|embed|shar|relay|report|echo|repeat|quote|writ|record|stor|log|encod|deliver|hand|summar|\bb?cc\b|mail|mirror/,
    ],
    findExfilRequest,
  ],
]
const READ_WORDS = /[a-z]{2}|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]/

/** A sentence that some rules are to look at closely. */
export interface Candidate {
  readonly sentence: string
  readonly rules: readonly WordingRule[]
}

/** The sentences of a text that are worth a closer look, wherever it stands; none for most texts. */
export function findCandidates(text: string): readonly Candidate[] {
  const folded = foldText(text)
  if (!READ_WORDS.test(folded)) return []
  return splitSentences(folded).flatMap((sentence) => {
    const rules = RULES.filter(([needed]) => needed.every((words) => words.test(sentence))).map(([, rule]) => rule)
    return rules.length === 0 ? [] : [{ sentence, rules }]
  })
}

/** What a text says that governs more than its item; of each rule the gravest. Where anything is above info, what is only noted is left out. */
export function judgeCandidates(candidates: readonly Candidate[], place: WordingPlace): readonly Hit[] {
  const found = new Map<string, Hit>()
  for (const { sentence, rules } of candidates)
    for (const rule of rules) {
      const hit = rule(sentence, place)
      if (hit !== null && isGraver(hit, found.get(hit.rule))) found.set(hit.rule, hit)
    }
  const hits = [...found.values()]
  const grave = hits.filter(({ severity }) => severity !== "info")
  return grave.length > 0 ? grave : hits
}

const isGraver = (hit: Hit, known: Hit | undefined): boolean =>
  known === undefined || compareSeverity(hit.severity, known.severity) < 0
