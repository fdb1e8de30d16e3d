// Words by which scope.ts tells a boundary from none. All are matched as whole words, in lower or upper case.

/** Everything of a kind. */
export const QUANTITIES: readonly string[] = [
  "every",
  "all",
  "any",
  "everything",
  "anything",
  "arbitrary",
  "everyone",
  "(?:the|an?|your|this|its)?\\s*(?:entire|whole|complete|full)",
]

/** Anywhere, wherever behind the verb it stands. */
export const REACHES: readonly string[] = [
  "anywhere",
  "everywhere",
  "system-?wide",
  "(?:no|without(?:\\s+any)?)\\s+(?:limits?|restrictions?)",
]

/** What says that the tool does not do it itself, or only on a condition that stands before. */
export const DISCLAIMERS: readonly string[] = [
  ..."not never no without cannot can't don't doesn't won't avoid prevent prevents if unless when before after undo".split(
    " ",
  ),
  ..."restore restores recover recovers list lists show shows return returns find finds get gets read reads warn warns".split(
    " ",
  ),
  ..."omit pass use instead\\s+of rather\\s+than set\\s+to preview previews simulate simulates".split(" "),
]

/** What bounds the words that it stands with. */
export const BOUNDARIES: readonly string[] = [
  ..."given specified selected provided supplied chosen listed named passed matching matched matches match filtered".split(
    " ",
  ),
  ..."current currently own whose where belonging associated related between expired stale unused orphaned obsolete".split(
    " ",
  ),
  ..."temporary temp cached allowed configured sandbox sandboxed workspace session draft uncommitted unsaved staged pending".split(
    " ",
  ),
  "with\\s+(?:(?:the|this|that|a|an|its)\\s+)?(?:id|name|tag|label|prefix|key|status|type)s?",
  "by\\s+(?:id|name|key|prefix|tag|user|default)",
  "(?:older|newer|larger|smaller)\\s+than",
  "created\\s+by",
  "that\\s+(?:match|are|were|have|has|start|begin|contain)",
]

/** Exceptions bound wherever in the sentence they stand. */
export const EXCEPTIONS: readonly string[] = [
  "except",
  "excluding",
  "other\\s+than",
  "apart\\s+from",
  "but\\s+not",
  "only",
  "up\\s+to",
]

/** Objects that come back by themselves, or that only what the caller sent holds. */
export const HARMLESS_OBJECTS: readonly string[] = (
  "cache caches filter filters breakpoint breakpoints highlight highlights selection selections form forms field fields input inputs " +
  "output canvas screen console marker markers override overrides stack whitespace space spaces formatting text duplicate duplicates " +
  "accents punctuation html markup buffer buffers writes clipboard view layers"
).split(" ")

/** Containers so large that naming them bounds nothing. */
export const BROAD_CONTAINERS: readonly string[] = (
  "database databases system systems machine machines computer host hosts server servers disk drive filesystem cluster clusters cloud " +
  "company organi[sz]ation tenant account world network production environment platform device registry log store region regions"
).split(" ")
