// One reference token of a JSON Pointer as it is written (RFC 6901 §3, §4).

/** A member name or index as a token of a pointer, without the slash before it. */
export const escapeToken = (token: string): string =>
  token.includes("~") || token.includes("/") ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token

/** The inverse of `escapeToken`, for a token without a bad escape. */
export const unescapeToken = (token: string): string => token.replaceAll("~1", "/").replaceAll("~0", "~")
