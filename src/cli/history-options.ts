// Options of `history` that a LEGION log cannot answer, in a place of their own: both dialects' parts need to know them.
import type { OptionSpec } from "./options.js"

/** What is asked of the records of a tlog-tiles log. */
export const TILE_HISTORY_OPTIONS: readonly OptionSpec[] = [
  ["--between <a> <b>", "What differs between two records: leaf:N, seq:N, or a date for the newest until then"],
  ["--find <pointer=value>", "In which records a text is: /tools/NAME/description=TEXT, or =TEXT anywhere in them"],
  ["--stream <which>", "all, or the leaf of a record: its stream; without it that of the pin"],
  ["--exhaustive", "Look at every entry of the log instead of believing its index"],
]
