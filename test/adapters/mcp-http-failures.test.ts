import { expect, test } from "vitest"
import { describeFailure } from "../../src/adapters/mcp-http-failures.js"

const failure = (code: string, message = "m") => Object.assign(new Error(message), { code })

test.each([
  { error: failure("ENOTFOUND"), words: "the name does not resolve (ENOTFOUND)" },
  { error: failure("ECONNREFUSED"), words: "nothing listens there (ECONNREFUSED)" },
  {
    error: new AggregateError([failure("ECONNREFUSED"), failure("ETIMEDOUT")]),
    words: "nothing listens there (ECONNREFUSED)",
  },
  { error: failure("ESTRANGE", "odd"), words: "odd (ESTRANGE)" },
  { error: failure("toString", "odd"), words: "odd (toString)" },
  { error: failure("ERR_SSL_WRONG_VERSION_NUMBER"), words: "TLS failed (ERR_SSL_WRONG_VERSION_NUMBER)" },
  { error: new Error("plain"), words: "plain" },
  { error: "text", words: "text" },
])("$words", ({ error, words }) => {
  expect(describeFailure(error)).toBe(words)
})

test.each([
  ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
  ...["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID"],
])("%s names the way to a private authority", (code) => {
  expect(describeFailure(failure(code))).toMatch(
    new RegExp(`certificate was not accepted \\(${code}\\).*NODE_EXTRA_CA_CERTS`),
  )
})
