// The two records of `history --between A B`, as they were typed: by leaf, by number in the stream, or by date.
import type { LogClient } from "../client/open-log.js"
import type { FoundRecord } from "../client/streams.js"
import { parseDecimal } from "../core/bytes.js"
import { quote, ToolsumError } from "../core/errors.js"
import { readRecord, type ServerHistory } from "./history.js"

const usage = (why: string) => new ToolsumError("USAGE", `--between: ${why}`)
const FORM = /^(?:(?:leaf:)?([0-9]+)|seq:([0-9]+)|([0-9]{4}-[0-9]{2}-[0-9]{2})(T[0-9]{2}:[0-9]{2}:[0-9]{2}Z)?)$/
/** The last second of a day that is named without a time. */
const END_OF_DAY = "T23:59:59Z"

/** The record that `text` names: `17` or `leaf:17`, `seq:3`, `2026-12-01` or `2026-12-01T08:00:00Z` (the newest list observed until then, by its
 *  observer's word). A leaf may be of another stream of the subject. Throws USAGE for what names no record with a list. */
export async function pickRecord(client: LogClient, history: ServerHistory, text: string): Promise<FoundRecord> {
  const [, leaf, seq, day, time] = FORM.exec(text) ?? []
  const picked =
    leaf !== undefined
      ? await readRecord(client, parseDecimal(leaf, usage), history.subject)
      : pickFromStream(history, text, { seq, until: day && `${day}${time ?? END_OF_DAY}` })
  if (picked?.record.state === "listed") return picked
  const none = day === undefined ? "is no record of this stream" : "is before the first list of this stream"
  throw usage(`${quote(text)} ${picked ? "is a record without a list" : none}`)
}

function pickFromStream(
  { streams: [stream, ...more] }: ServerHistory,
  text: string,
  { seq, until }: { seq: string | undefined; until: string | undefined },
): FoundRecord | undefined {
  if (seq === undefined && until === undefined)
    throw usage(`expected leaf:N, seq:N or a date such as 2026-12-01, got ${quote(text)}`)
  if (more.length > 0) throw usage(`${quote(text)} may be of several streams: name a leaf, or one stream with --stream`)
  const listed = stream?.entries.filter(({ record }) => record.state === "listed") ?? []
  if (seq !== undefined) return stream?.entries.find(({ record }) => record.seq === parseDecimal(seq, usage))
  const sec = Date.parse(until ?? "") / 1000
  if (Number.isNaN(sec)) throw usage(`expected a day that exists, got ${quote(text)}`)
  return listed.findLast(({ record }) => record.observed <= BigInt(sec))
}
