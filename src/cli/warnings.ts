// Warnings of a report in words. Codes come from the core and stay what they are in --json; names in them are escaped.
import { escapeInvisible } from "../core/errors.js"

/** One warning for people. Escaped. */
export function describeWarning(warning: string): string {
  const cut = warning.indexOf(":")
  const [code, what] = cut < 0 ? [warning, ""] : [warning.slice(0, cut), warning.slice(cut + 1)]
  return escapeInvisible(TEXTS[code]?.(what) ?? warning)
}

const TEXTS: Readonly<Record<string, (what: string) => string>> = {
  unlinked: (sizes) => `heads ${sizes} are not tied together by a proof; the next online command that writes adds it`,
  definitions_missing: (name) => `.mcp-tools/${name}.json is missing: changes cannot be shown word by word`,
  keyring_expired: () => "the log's keyring has expired: ask its owner for a newer one",
  state_unavailable: () =>
    "what was seen of the log before could not be read or remembered: a rollback would not be noticed",
  record_malformed: (index) => `leaf ${index} of the log looks like a record of this server and is none`,
  index_malformed: () => "the log's subject index is damaged; every entry was looked at instead",
  index_unavailable: () => "the log's subject index could not be read; the entries themselves were looked at instead",
  not_read: (why) => `its server was not read: ${why}`,
  switched_off: (server) => `${server} is switched off there, and no pin covers it`,
  records_unread: () => "not every entry that may be about this server was read: an old record may be missing",
  index_omits: (leaf) => `the log's index leaves out leaf ${leaf}, which is a record of this server`,
  newer_format: (leaf) => `leaf ${leaf} has a newer record format; a newer toolsum is needed`,
  object_wrong: (path) => `${path} of the log's archive is not what its name says; it counts as missing`,
  objects_unavailable: () => "some texts of the log's archive could not be read; they count as missing",
  newer_uncovered: (count) => `the log says that it has ${count} newer observations without a signed head`,
  head_backdated: (why) => `the time of the newest head cannot be true: ${why}`,
  respelled: () => "the log signed another fingerprint of the same definitions",
  history_ignored: (what) => `history that counts for nothing: ${what}`,
  history_missing: (leaf) => `leaf ${leaf} is named as an earlier record of this server, and did not come`,
  history_unavailable: () => "the log's history of this server could not be read",
  registry_unavailable: (why) => `the registry could not be asked which server this is: ${why}`,
  other_version: (what) => `version ${what}`,
}
