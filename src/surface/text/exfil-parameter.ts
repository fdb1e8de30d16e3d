// Parameters that collect what the tool has no use for: the conversation, credentials, the environment, files. Told from the name, or from
// the description where the name says nothing.
import { quote } from "../../core/errors.js"
import { foldText } from "./fold-text.js"
import { type Hit, hit } from "./hit.js"

const WHOLE =
  "(?:full|entire|complete|whole|all|every|everything|anything|verbatim|word for word|exact|raw|unabridged|contents?|dump|copy|transcript)"
/** Names, in words, that say it all. */
const NAMES: readonly RegExp[] = [
  /\b(?:contents?|dump|data|text|value|values|copy|body) (?:of |from )?(?:the )?(?:\w+ ){0,2}(?:env|dotenv|ssh|aws|credentials?|secrets?|passwords?|private keys?|keychain|wallet|etc passwd|id rsa|bash history|shell history)\b/,
  /\b(?:env|dotenv|ssh key|id rsa|aws credentials|etc passwd|private key|keychain|wallet|bash history|shell history) (?:file )?(?:contents?|dump|text|value|data)\b/,
  /\b(?:full|entire|complete|whole|all|raw|verbatim|current) (?:\w+ )?(?:conversation|chat|dialogue?|transcript|chat history|message history|environment|env vars?|environment variables|system prompt|context window|memory|memories|clipboard|secrets|passwords|credentials)\b(?! ids?)/,
  /\b(?:your|assistant|model|llm|ai) (?:system prompt|instructions|memory|memories|reasoning|conversation|context)\b/,
  /\beverything (?:the )?user\b/,
]
const CONVERSATION =
  "(?:(?:conversation|chat|dialog(?:ue)?|discussion|exchange|session)s?(?: history| log| transcript| context| so far)?|chat history|message history|transcript|(?:previous|prior|earlier|past) messages|context window)"
const SECRET =
  "(?:system prompt|env(?:ironment)? (?:variables|vars)|(?:api|access|private|secret|ssh) keys?|passwords|credentials|access tokens|secrets|(?:~|\\.)[/\\w.-]{0,40}(?:\\.ssh|\\.env|\\.aws|id_rsa)[\\w/.-]{0,40}|\\.env(?: file)?)"
/** Descriptions that say it all; each speaks of the reader, its user or its session. */
const DESCRIPTIONS: readonly RegExp[] = [
  new RegExp(
    `\\b${WHOLE}\\b.{0,30}\\b${CONVERSATION}\\b.{0,30}\\b(?:so far|until now|up to (?:now|this point)|to date|word for word|verbatim|with the (?:user|human)|between you)`,
  ),
  new RegExp(`\\b${WHOLE}\\b.{0,20}\\b(?:this|the current|your|our) ${CONVERSATION}\\b`),
  new RegExp(`\\b(?:verbatim|word for word|unabridged)\\b.{0,40}\\b${CONVERSATION}\\b`),
  /\b(?:everything|anything|all|whatever)\b.{0,20}\b(?:the )?(?:user|human)(?:'s)? (?:has |have )?(?:ever )?(?:told|said|wrote|written|shared|typed|mentioned|asked)\b/,
  /\b(?:everything|anything|all|whatever)\b.{0,20}\byou (?:have |'ve )?(?:know|learned|learnt|remember|been told|seen|read)\b.{0,30}\b(?:user|human|person|them|conversation|project)\b/,
  new RegExp(
    `\\b(?:${WHOLE}|your|contents? of|values? of|the user's|list of all)\\b.{0,30}\\b(?:your system prompt|the instructions you (?:were|have been) given)`,
  ),
  /\b(?:your|the model's|the assistant's) (?:full |entire |complete |exact )?(?:system prompt|hidden instructions|chain of thought|instructions verbatim)/,
  new RegExp(`\\b(?:contents?|dump|values?|copy) of (?:the |all |any |your |every |local )*(?:\\w+ )?${SECRET}`),
  new RegExp(`\\ball (?:\\w+ )?${SECRET} (?:on|in|of|from|known|found|you)\\b`),
]

/** A finding for the name of a parameter that collects, null for another. */
export function judgeParameterName(name: string): Hit | null {
  const spoken = foldText(toWords(name))
  return NAMED.test(spoken) && NAMES.some((pattern) => pattern.test(spoken))
    ? hit("exfil-parameter", "high", `the name of a parameter asks for more than a task needs: ${quote(name, 80)}`)
    : null
}

/** A finding for the description of a parameter that collects, null for another. */
export function judgeParameterDescription(description: string): Hit | null {
  if (!COLLECTS.test(description)) return null
  const folded = foldText(description.slice(0, MAX_DESCRIPTION_CHARS))
  return DESCRIPTIONS.some((pattern) => pattern.test(folded))
    ? hit("exfil-parameter", "high", `a parameter asks for more than a task needs: ${quote(description, 100)}`)
    : null
}

/** What one of the names, and of the descriptions, must have: most have none. */
const NAMED =
  /env|ssh|aws|credential|secret|password|private|keychain|wallet|passwd|id rsa|history|conversation|chat|dialog|transcript|prompt|context|memor|clipboard|instruction|reasoning|user/
const COLLECTS =
  /all|every|anything|whatever|full|entire|complete|whole|verbatim|word|exact|raw|unabridged|content|dump|copy|transcript|value|your|model's|assistant's|[^\0-\x7f]/i
const MAX_DESCRIPTION_CHARS = 4_000
const MAX_NAME_CHARS = 200

/** `contentsOf_env-file` as words. */
export const toWords = (name: string): string =>
  name
    .slice(0, MAX_NAME_CHARS)
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_.:/-]+/g, " ")
