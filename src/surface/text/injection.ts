// Wording in one text: its sentences against the rules, gravest first of each rule.
import { SEVERITIES } from "../../core/severity.js"
import { findConcealment } from "./concealment.js"
import { findCrossScope } from "./cross-scope.js"
import { findExfilRequest } from "./exfil-request.js"
import { foldText } from "./fold-text.js"
import { type Hit, MAX_READ_CHARS } from "./hit.js"
import { findOverride } from "./override.js"
import { findSensitiveTarget } from "./sensitive-target.js"
import { splitSentences, type WordingPlace, type WordingRule } from "./wording.js"

/** Rules, each with words of which a sentence must have one before it is looked at closely. */
const RULES: readonly (readonly [RegExp, WordingRule])[] = [
  [
    /user|human|operator|person|people|customer|anyone|anybody|owner|reviewer|yourself|between us|record|repl|answer|response|summary|explanation|message|as if|as though|secretly|covertly|stealthily|usuari|utiliz|utilis|nutzer|anwender|utente|\u043f\u043e\u043b\u044c\u0437\u043e\u0432\u0430\u0442|\u7528\u6237|\u30e6\u30fc\u30b6/,
    findConcealment,
  ],
  [
    /instruct|guid|directive|prompt|rule|polic|order|constraint|restrict|limit|safe|training|programming|briefing|message|mode|what|everything|anything|assistant|agent|model|llm|claude|gpt|copilot|gemini|already|pre-?approved|without|important|secret|system|hidden|from now on|instruc|consigne|anweisung|vorgabe|regel|istruzion|regole|indicac|\u0438\u043d\u0441\u0442\u0440\u0443\u043a|\u0443\u043a\u0430\u0437\u0430\u043d|\u043f\u0440\u0430\u0432\u0438\u043b|\u6307|\u89c4\u5219|\u63d0\u793a|\u547d\u4ee4|\u30eb\u30fc\u30eb/,
    findOverride,
  ],
  [/_|`|server|connector|integration|plugin|extension|tool|service|prefer|agent/, findCrossScope],
  [
    /\.ssh|\.aws|\.gnupg|\.kube|\.docker|\.netrc|\.git-cred|\.pgpass|password|id_|\/etc\/|wallet|keychain|login|cookie|key4|\.env|\.npmrc|\.pypirc|history|credential|account|mcp\.json|config\.json|secrets?|\.pem|\.p12|\.pfx|\.kdbx|key|token|pass|phrase|2fa|code|env|address|phone|birth|bank|card|social|salary|medical|health|where|name|contact|calendar|tax/,
    findSensitiveTarget,
  ],
  [
    /conversation|chat|dialog|transcript|history|message|session|context|exchange|discussion|prompt|instruct|memor|reasoning|thought|everything|all|anything|whatever|copy|copies|bcc|cc |mirror|duplicate/,
    findExfilRequest,
  ],
]
const READ_WORDS = /[a-z]{2}|[\u0400-\u04ff\u3040-\u30ff\u4e00-\u9fff]/

/** What a text says that governs more than its item; of each rule the gravest. Where anything is above info, what is only noted is left out. */
export function findWording(text: string, place: WordingPlace): readonly Hit[] {
  const folded = foldText(text.slice(0, MAX_READ_CHARS))
  if (!READ_WORDS.test(folded)) return []
  const found = new Map<string, Hit>()
  for (const sentence of splitSentences(folded))
    for (const [words, rule] of RULES) {
      const hit = words.test(sentence) ? rule(sentence, place) : null
      if (hit !== null && isGraver(hit, found.get(hit.rule))) found.set(hit.rule, hit)
    }
  const hits = [...found.values()]
  const grave = hits.filter(({ severity }) => severity !== "info")
  return grave.length > 0 ? grave : hits
}

const isGraver = (hit: Hit, known: Hit | undefined): boolean =>
  known === undefined || SEVERITIES.indexOf(hit.severity) < SEVERITIES.indexOf(known.severity)
