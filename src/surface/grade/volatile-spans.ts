// Spans of a text that move without anybody writing it anew: times, versions, identifiers, paths of a machine. Two texts that are equal
// without them say the same. A host name or a URL is none: where something goes is what a text says.

/** Shapes with the word that takes their place, from the widest: a date is no version, and a path may hold both. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [
    /(?<![\w/:.~-])(?:\/(?:home|Users|tmp|var|private|opt|build|workspace|root|mnt|srv)(?:\/[\w.@+-]{1,100}){1,30}|[A-Za-z]:\\(?:[\w.@ +-]{1,100}\\){1,30}[\w.@+-]{0,100})/g,
    "<path>",
  ],
  [/(?<![\w-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![\w-])/g, "<uuid>"],
  [
    /(?<![\d.-])\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\d-])/g,
    "<time>",
  ],
  [/(?<![\w:.])\d{1,2}:\d{2}:\d{2}(?:\.\d{1,9})?(?![\w:])/g, "<time>"],
  [/(?<![\w.])v?\d{1,6}\.\d{1,6}\.\d{1,6}(?:[-+][0-9A-Za-z.-]{1,40})?(?![\w.]*\w)/g, "<version>"],
]

/** Folders and file names that hold secrets: a path with one is what a text says, not where a machine keeps its files. */
const TELLING =
  /(?:^|[/\\.])(?:ssh|aws|gnupg|kube|env|netrc|npmrc|pem|passwd|shadow|id_[a-z0-9]+|credentials?|secrets?|keys?|tokens?)(?![a-z])/i

/** The text with a word in angle brackets for each such span. */
export const withoutVolatile = (text: string): string =>
  SHAPES.reduce((rest, [shape, word]) => rest.replace(shape, (span) => (TELLING.test(span) ? span : word)), text)
