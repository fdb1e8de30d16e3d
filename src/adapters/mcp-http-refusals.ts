// What an HTTP answer means that is not the answer to a request: no credential, or not a good enough one (AUTH, field-notes C36), a page
// for people, a lost session (C39), or a server that speaks something else. Pure.
import { encodeUtf8 } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { METHOD_NOT_FOUND, type RpcError, readIncoming } from "./mcp-messages.js"
import type { Challenge } from "./oauth-challenge.js"

/** How much of a body that is no answer is looked at. */
export const MAX_REFUSAL_BYTES = 65_536

/** An HTTP answer without an answer in it. */
export interface Refusal {
  readonly status: number
  readonly contentType: string
  /** The start of its body. */
  readonly body: Uint8Array
  /** The same for people, without values of variables. */
  readonly text: string
  readonly challenge: Challenge | null
}

/** The media type of a Content-Type header, lower case; empty without one. */
export const mediaType = (header: string | null): string => (header ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

/** The JSON-RPC error in a body, and whether it names the request that it answers; null for any other body. */
export function readRpcError(body: Uint8Array): { readonly error: RpcError; readonly isBlind: boolean } | null {
  for (const message of readIncoming(body, MAX_REFUSAL_BYTES))
    if (message.kind === "answer" && "error" in message.answer)
      return { error: message.answer.error, isBlind: message.id === null }
  return null
}

/** True for an answer to a request with a session id by which the server says that it does not know that session. Its own answer to an
 *  unknown method is none (2026-07-28 sends that with 404). */
export function isSessionLoss({ status, body }: Refusal): boolean {
  const rpc = readRpcError(body)
  if (status === 404) return rpc?.error.code !== METHOD_NOT_FOUND
  return status === 400 && rpc !== null && rpc.isBlind && /session/i.test(rpc.error.message)
}

/** The error for a refusal: SERVER_AUTH, PROTOCOL_MALFORMED for what is no refusal but no answer either, else SERVER_UNREACHABLE. */
export function refusalError(refusal: Refusal): ToolsumError {
  const { status, contentType } = refusal
  if (status === 401 || status === 403) return new ToolsumError("SERVER_AUTH", authReason(refusal))
  if (status >= 200 && status < 300) {
    if (isLoginPage(refusal)) return new ToolsumError("SERVER_AUTH", "refused")
    const got = contentType === "" ? "no content-type" : quote(contentType, 60)
    return new ToolsumError(
      "PROTOCOL_MALFORMED",
      `expected JSON or an event stream, got ${got} (HTTP status ${status})`,
    )
  }
  const words = describeBody(refusal)
  return new ToolsumError("SERVER_UNREACHABLE", `HTTP status ${status}${words === null ? "" : `: ${words}`}`)
}

/** A header may say so, or only the body. */
function authReason({ status, text, challenge }: Refusal): string {
  if (challenge?.error === "insufficient_scope") return "insufficient_scope"
  const says = challenge?.error == null && status === 403 && /\binsufficient[_ ]scopes?\b/i.test(text)
  return says ? "insufficient_scope" : "refused"
}

const LOGIN =
  /type\s*=\s*["']?password|\b(?:sign|log)[ -]?in\b|\blogin\b|\bsingle sign[ -]on\b|\bSSO\b|\bunauthori[sz]ed\b|\bauthenticat/i

/** A page that asks a person for a password, sent with status 200 where an answer was due. */
function isLoginPage({ contentType, text }: Refusal): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)$/.test(contentType) && LOGIN.test(text)
}

/** The words of a server in a body for programs or people, but no page. */
function describeBody({ contentType, text }: Refusal): string | null {
  const rpc = readRpcError(encodeUtf8(text))
  if (rpc) return `error ${rpc.error.code ?? "without code"}: ${quote(rpc.error.message, 200)}`
  const isText = contentType === "text/plain" || /[/+]json$/.test(contentType)
  return isText && text.trim() !== "" ? quote(text.trim(), 200) : null
}
