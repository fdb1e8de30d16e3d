// What went wrong on the way to a server, in words for people: name resolution, sockets and certificates (field-notes C38). Nothing of a
// request is repeated here.

/** Codes of OpenSSL and Node for a certificate that was not accepted. */
const CERTIFICATE =
  /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:GET|VERIFY|DECODE)_|HOSTNAME_MISMATCH|INVALID_CA|PATH_LENGTH_)/
/** Codes of OpenSSL and Node for other failures of TLS. */
const TLS = /^(?:EPROTO$|ERR_SSL_|ERR_TLS_)/

const WORDS: Readonly<Record<string, string>> = {
  ENOTFOUND: "the name does not resolve",
  EAI_AGAIN: "the name could not be resolved now",
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_HEADERS_OVERFLOW: "the headers of the answer are too large",
}

/** Why an exchange failed: the code where there is one, and words. `error`: as Node or undici threw it. */
export function describeFailure(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  if (!(inner instanceof Error)) return String(inner)
  const code = "code" in inner && typeof inner.code === "string" ? inner.code : null
  if (code === null) return inner.message
  if (CERTIFICATE.test(code))
    return `its certificate was not accepted (${code}); NODE_EXTRA_CA_CERTS names a file with the certificate of a private authority`
  if (TLS.test(code)) return `TLS failed (${code})`
  return `${(Object.hasOwn(WORDS, code) ? WORDS[code] : undefined) ?? inner.message} (${code})`
}
