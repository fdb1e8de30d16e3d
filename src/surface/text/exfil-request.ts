// Wording that asks for the conversation, or for a copy of everything to a fixed address. Grave where it is the conversation that the reader
// is in: a tool that exports chats of its own speaks of other conversations.
import { quote } from "../../core/errors.js"
import { hit } from "./hit.js"
import { CONVERSATION } from "./secret-words.js"
import { findSaid, type WordingRule } from "./wording.js"

const HAND =
  "(?:attach|include|send|forward|append|add|pass|put|paste|copy|upload|transmit|post|submit|supply|provide|insert|embed|share|relay|report|echo|repeat|quote|write out|record|store|log|encode|deliver|hand over|summari[sz]e)"
const WHOLE =
  "(?:full|entire|complete|whole|all|every|everything|verbatim|exact|raw|unabridged|recent|last|previous|earlier|current)"
/** What makes it the reader's own conversation. */
const HERE =
  "(?:so far|until now|up to now|to date|up to this point|till now|at this point|this (?:conversation|chat|session|dialogue)|(?:the |your )?current (?:conversation|chat|session|context)|your (?:conversation|context(?: window)?|memory|memories|history|instructions|system prompt|reasoning|chain of thought|hidden instructions)|the (?:user|human)(?:'s)? (?:has |have )?(?:said|told|wrote|written|shared|typed|asked|messages|prompts?)|with the (?:user|human)|you (?:have |were |are )?(?:seen|read|been given|been told|told|given|remember|know)|above)"
const HANDED = new RegExp(
  `\\b${HAND}\\b.{0,40}\\b${WHOLE}\\b.{0,40}\\b${CONVERSATION}\\b|\\b${HAND}\\b.{0,30}\\b(?:everything|all (?:that|of what)|anything|whatever)\\b|\\b${HAND}\\b.{0,30}\\b(?:your|the) (?:system prompt|hidden instructions|chain of thought|conversation|chat history)\\b`,
)
const IS_HERE = new RegExp(`\\b${HERE}\\b`)
const COPIED =
  /\b(?:bcc|cc|(?:send|forward|mail|e-?mail|upload|post) (?:a )?(?:\w+ )?(?:copy|copies|duplicate)|carbon copy|mirror)\b.{0,80}(?:https?:\/\/[\w.-]{3,100}|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,63})/
const ALWAYS = /\b(?:always|every|each|all|any|must|also|additionally)\b/
const NEGATED = /\b(?:do not|don't|never|avoid|must not|should not)\b/

/** Asks for what the reader knows. */
export const findExfilRequest: WordingRule = (sentence) => {
  if (NEGATED.test(sentence)) return null
  const handed = findSaid(HANDED, sentence)
  if (handed !== null && IS_HERE.test(sentence)) return request("high", sentence)
  const copied = findSaid(COPIED, sentence)
  if (copied !== null) return request(ALWAYS.test(sentence) ? "high" : "info", sentence)
  return null
}

const request = (severity: "high" | "info", said: string) =>
  hit("injection.exfil-request", severity, `asks for what the reader knows: ${quote(said, 100)}`)
