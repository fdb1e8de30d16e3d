// What `toolsum.json` says about a check of one pin: whether its log may hear of it, whether its server is read, and which answers are
// expected not to come. Nothing here hides an answer: it keeps its word and its reason, and what was lowered is told.
import { quote, ToolsumError } from "../core/errors.js"
import type { Pin } from "../core/lockfile.js"
import { failOnOf, isPrivateSubject, liveWishOf, mayAskLog, type Settings } from "../core/settings.js"
import { listVariables } from "../core/target.js"
import type { Allowed, ServerVerdict } from "../core/verdict.js"
import type { FailOn } from "./gate.js"
import { isPersonalLog } from "./log-answer.js"
import { observationOf } from "./pins.js"
import { placeholdersOf } from "./profile.js"

/** Why the log of a pin is not asked about it: the error, or "unnamed" for a log that the settings do not name; null where it is asked. */
export function refusalOfLog(
  settings: Settings,
  { origin, subject }: { origin: string; subject: string | null },
): ToolsumError | "unnamed" | null {
  const log = { origin, isPersonal: isPersonalLog(origin) }
  if (subject !== null && isPrivateSubject(settings, subject, log)) return privateError(subject, origin)
  return mayAskLog(settings, origin) ? null : "unnamed"
}

/** Throws SUBJECT_PRIVATE where the settings keep a subject from a log. */
export function requireNotPrivate(settings: Settings, subject: string, origin: string): void {
  if (isPrivateSubject(settings, subject, { origin, isPersonal: isPersonalLog(origin) }))
    throw privateError(subject, origin)
}

const privateError = (subject: string, origin: string): ToolsumError =>
  new ToolsumError(
    "SUBJECT_PRIVATE",
    `toolsum.json keeps ${quote(subject)} private, and its logs do not say that of ${quote(origin, 300)}: it is not told of it`,
  )

/** Why the server of a pin is not read, as a warning; null where it is. */
export function liveRefusal(
  settings: Settings,
  name: string,
  pin: Pin,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const wish = liveWishOf(settings, name)
  if (wish === "required") return null
  if (wish === "never") return "not_read:live is never for it in toolsum.json"
  const dummies = new Set(placeholdersOf(observationOf(pin).profile))
  const missing = (pin.target === null ? [] : listVariables(pin.target)).filter(
    (variable) => !dummies.has(variable) && !environment[variable],
  )
  return missing.length === 0
    ? null
    : `not_read:live is if-credentials for it in toolsum.json, and ${missing.join(", ")} is not set`
}

/** The gate that the settings put before a pin; null: every change is a finding. */
export function failOnFrom(settings: Settings, name: string): FailOn | null {
  const failOn = failOnOf(settings, name)
  return failOn && { failOn, source: "toolsum.json" }
}

/** The answer for a pin as `allow` has it. A server that once listed its tools under the same profile and wants credentials now is never
 *  passed over: that is a change. */
export function applyAllow<Server extends ServerVerdict>(server: Server, settings: Settings, pin: Pin): Server {
  const reason = allowedReason(server, settings, pin)
  return reason === null ? server : { ...server, allowed: { reason, source: "toolsum.json" } }
}

function allowedReason({ verdict, reason }: ServerVerdict, { allow }: Settings, pin: Pin): Allowed["reason"] | null {
  if (verdict === "UNKNOWN") return allow.find((one) => one === reason) ?? null
  if (pin.evidence !== undefined) return null // its record says nothing of a profile
  const isMissing = verdict === "AUTH" && (reason?.startsWith("missing: ") ?? false)
  return isMissing && allow.includes("auth:missing") && observationOf(pin).state === "auth" ? "auth:missing" : null
}
