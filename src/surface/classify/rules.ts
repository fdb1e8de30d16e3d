// The rules of classes, with the words that reports show: reasons for a class, which are no findings, and what a server's classes say together.
import type { Rule } from "../finding.js"

/** A reason for a class: it asks nothing of a reader by itself. */
const reason = (title: string, help: string): Rule => ({ title, help, severity: "info" })

/** Rules of this folder by id. */
export const CLASS_RULES: Readonly<Record<string, Rule>> = {
  "class.parameter": reason(
    "Takes more than a fixed few values",
    "A parameter takes texts, numbers or objects that the caller makes up, so that the tool does at least read by them. Only true, false and fixed values leave a tool inert.",
  ),
  "class.sensitive-data": reason(
    "Reads what is not everybody's",
    "Name or first sentence speak of mail, calendars, people, secrets or the like. What such a tool answers should not leave the session.",
  ),
  "class.sensitive-flag": reason(
    "A flag adds what is sensitive",
    "A caller can ask for secrets, contacts or personal data in the answer.",
  ),
  "class.writing-verb": reason(
    "Says that it changes something",
    "The first verb of its name or text changes something outside.",
  ),
  "class.removing-verb": reason(
    "Says that it takes something away",
    "The first verb of its name or text removes, resets or stops something that can be made again.",
  ),
  "class.destroying-verb": reason(
    "Says that it deletes",
    "The first verb of its name or text takes away what nobody can bring back, or rotates or revokes a credential.",
  ),
  "class.sending-verb": reason(
    "Says that it sends",
    "The first verb of its name or text hands something to others, whoever they are.",
  ),
  "class.destructive-hint": reason(
    "Admits that it may destroy",
    "The annotation destructiveHint is true. Hints that admit risk count; hints that deny it do not.",
  ),
  "class.output-path": reason(
    "Writes a file where the caller says",
    "A parameter names the file or folder that something is written to.",
  ),
  "class.target": reason(
    "The caller chooses where to connect",
    "A parameter takes an address, and no pattern keeps it to one host, so that data can go anywhere. Only an anchored pattern of one host, or fixed values, count as bounds.",
  ),
  "class.recipient": reason(
    "The caller chooses who gets it",
    "A parameter names a recipient, so that data can go to anybody.",
  ),
  "class.open-names": reason(
    "A pattern opens a family of names",
    "patternProperties takes members whose names begin like ones for code or addresses. Which of them the server understands is not shown.",
  ),
  "class.unread": reason(
    "The schema cannot be read to its end",
    "There is no schema, it is too large or too deep, or a reference leads out of it, nowhere or back to itself. What is not shown counts as reaching out.",
  ),
  "class.final-flag": reason(
    "A flag makes it final",
    "With force, overwrite, recursive or the like a caller can make what is done irreversible.",
  ),
  "class.overwrite": reason(
    "Writes whole contents to a path",
    "What stood there is replaced, and nothing says that it must still be what was read (an etag, a revision).",
  ),
  "class.code": reason(
    "Runs what a parameter gives",
    "A parameter takes code, a command or a database language. What the tool can do is what the caller writes.",
  ),
  "class.code-tool": reason(
    "Says that it runs code",
    "The name says that the tool runs what it is given, and it takes text.",
  ),
  "class.chain": {
    title: "Can read what is sensitive and send it out",
    help: "Tools of this server read what is not everybody's, and tools of it send where the caller says: a model that is misled can carry the one to the other. Prompts, resources and other servers are not looked at. Ask before the sending tools are called.",
    severity: "medium",
  },
  "class.override-expired": {
    title: "An override of a class has run out",
    help: "Its last day is over and the class that was found counts again. Renew it in toolsum.json with a reason, or take it out.",
    severity: "low",
  },
  "class.override-unknown": {
    title: "An override of a class names no tool",
    help: "No tool of the server has this name, so that the override does nothing: a renamed or removed tool, or a misspelt name.",
    severity: "low",
  },
  "class.override-idle": {
    title: "An override of a class lowers nothing",
    help: "The class that was found is not above the one that the override gives. Take it out of toolsum.json.",
    severity: "info",
  },
}
