import type { Rule } from "../finding.js"

const INVISIBLE = "What a reviewer does not see, a model reads. Look at the decoded text, and ask why it is hidden."
const WORDING =
  "Wording is weak evidence: only what names something sensitive, others' tools, the user or earlier guidance and says what to do about it is graver than info. Read the whole text."
const MOVES = "It differs from one reading to the next without meaning anything. A mask keeps it out of the comparison."

/** Rules of this folder by id. */
export const TEXT_RULES: Readonly<Record<string, Rule>> = {
  "hidden-text.tags": {
    title: "Text in tag characters",
    help: `Unicode's tag characters are copies of ASCII that nothing draws; only three flags need them. ${INVISIBLE}`,
    severity: "critical",
  },
  "hidden-text.zero-width": {
    title: "Invisible characters",
    help: `Characters without width split words for a search, or spell a message of their own. Those that emoji and the spelling of languages need are not counted. ${INVISIBLE}`,
    severity: "critical",
  },
  "hidden-text.bidi": {
    title: "Direction of text changed",
    help: "Overrides and embeddings show characters in another order than a model reads them. Marks that right-to-left text needs are not counted.",
    severity: "critical",
  },
  "hidden-text.variation-selectors": {
    title: "Variation selectors without a variant",
    help: `Selectors choose how the character before them is drawn; 256 of them can be the bytes of any text. ${INVISIBLE}`,
    severity: "critical",
  },
  "hidden-text.control": {
    title: "Control characters",
    help: "Escape sequences, back spaces and lone returns erase or overwrite what a terminal shows. Print the text escaped to read all of it.",
    severity: "critical",
  },
  "hidden-text.compat-letters": {
    title: "Letters in disguise",
    help: "Full-width, mathematical or circled letters read like ordinary ones, and no search for the word finds them.",
    severity: "high",
  },
  "hidden-text.homoglyph": {
    title: "Look-alike letters",
    help: "Letters of another alphabet stand for Latin ones in a word: it reads like a word that it is not.",
    severity: "critical",
  },
  "hidden-text.comment": {
    title: "Text in a comment",
    help: `Pages that render Markdown or HTML leave comments out. ${INVISIBLE}`,
    severity: "medium",
  },
  "hidden-text.padding": {
    title: "Text pushed out of view",
    help: "A long run of blanks or empty lines stands before more text: what follows is off the screen.",
    severity: "medium",
  },
  "hidden-text.long-line": {
    title: "Very long line",
    help: "Viewers cut or wrap so long a line; its end is easily overlooked.",
    severity: "info",
  },
  "hidden-text.base64": {
    title: "Encoded text",
    help: "A run of base64 stands in prose. Models decode it, reviewers do not; where it decodes to a text, that is shown.",
    severity: "medium",
  },
  "oversized-text": {
    title: "Text too long to review",
    help: "Nobody reads so long a text, and it costs tokens with every request. Of a longer one only the first 100,000 characters are read: look at the rest.",
    severity: "medium",
  },
  "volatile-text.timestamp": { title: "Time in a text", help: `The text holds a moment. ${MOVES}`, severity: "low" },
  "volatile-text.version": { title: "Version in a text", help: `The text holds a version. ${MOVES}`, severity: "low" },
  "volatile-text.path": {
    title: "Folder of one machine in a text",
    help: `The text holds a path below somebody's home folder. ${MOVES}`,
    severity: "low",
  },
  "exfil-parameter": {
    title: "Parameter that collects",
    help: "Name or description of a parameter ask for the conversation, credentials, the environment or files: whatever the model fills in goes to the server.",
    severity: "high",
  },
  "injection.sensitive-target": {
    title: "Asks for what is sensitive",
    help: `The text asks to hand over a file with credentials, credentials or a person's data, or points a parameter at such a file. ${WORDING}`,
    severity: "critical",
  },
  "injection.concealment": {
    title: "Keeps something from the user",
    help: `The text asks not to tell the user what the model does. ${WORDING}`,
    severity: "critical",
  },
  "injection.override": {
    title: "Puts itself above others",
    help: `The text declares earlier guidance void, or gives approval in the user's name. ${WORDING}`,
    severity: "high",
  },
  "injection.cross-scope": {
    title: "Steers others",
    help: `The text says what tools or servers other than its own are to do, or sets aside what the user chose. ${WORDING}`,
    severity: "high",
  },
  "injection.exfil-request": {
    title: "Asks for what the model knows",
    help: `The text asks for the conversation that it is read in, or for a copy of everything to a fixed address. ${WORDING}`,
    severity: "high",
  },
}
