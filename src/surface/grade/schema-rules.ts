// Rules for what differs inside the schemas of tools, by kind. Those of answers are the same, milder: an answer decides nothing.
import type { Severity } from "../../core/severity.js"
import type { Rule } from "../finding.js"

/** Title, gravest severity in the schema of arguments, and why it matters. */
const KINDS: Readonly<Record<string, readonly [string, Severity, string]>> = {
  added: ["schema added", "high", "There is a schema where none was. It is weighed by the gravest property in it."],
  removed: ["schema removed", "medium", "There is no schema any more: nothing says what is accepted."],
  changed: [
    "schema changed",
    "medium",
    "Something in a schema differs that no other rule explains, or no longer has the shape that it must have.",
  ],
  cut: [
    "schema changed too much to be read",
    "high",
    "More differs, or deeper, than is told apart. What is not told apart has to be read.",
  ],
  representation: [
    "schema spelled otherwise",
    "info",
    "The bytes differ and what they say is the same: generators move references, dialects and what goes without saying.",
  ],
  "property-added": [
    "property added",
    "high",
    "Something can be given that could not be given before. High where free text decides where data goes or what runs, or asks for what was said or for a secret.",
  ],
  "property-removed": [
    "property removed",
    "high",
    "A property is gone, and callers that give it may break. High where it held calls back.",
  ],
  "property-renamed": [
    "property renamed",
    "high",
    "The same property has another name. High where the new name says that it does more.",
  ],
  "required-added": [
    "property required",
    "high",
    "Every call has to give it now. High where it asks for what was said or for a secret.",
  ],
  "required-removed": [
    "property no longer required",
    "high",
    "A call can leave it out. High where it held calls back, low where it only says how an answer looks.",
  ],
  "type-widened": [
    "type widened",
    "high",
    "Values of another type are accepted too. High where text can now decide where data goes or what runs.",
  ],
  "type-narrowed": ["type narrowed", "low", "Values of a type are no longer accepted: callers may break."],
  "type-changed": ["type changed", "high", "Values of another type are accepted instead."],
  "enum-added": ["values listed", "low", "Only listed values are accepted where others were: callers may break."],
  "enum-removed": [
    "values no longer listed",
    "high",
    "Anything is accepted where one of a few values was: the model can now be led to give any.",
  ],
  "enum-value-added": [
    "value added",
    "high",
    "One more value is accepted. High where it names more power or a wider audience, or says where data goes.",
  ],
  "enum-value-removed": ["value removed", "low", "A value is no longer accepted: callers that give it may break."],
  "const-added": ["value fixed", "high", "One value alone is accepted. High where it says where data goes."],
  "const-removed": ["value no longer fixed", "high", "More than the one value is accepted."],
  "const-changed": [
    "fixed value changed",
    "high",
    "The only accepted value is another, and callers follow it without a thought.",
  ],
  "constraint-added": [
    "limit added",
    "high",
    "Less is accepted than before. High where the new part brings properties that decide where data goes.",
  ],
  "constraint-removed": [
    "limit removed",
    "high",
    "More is accepted than before. High where the limit pinned a host or a folder, or held a call back.",
  ],
  "constraint-loosened": [
    "limit loosened",
    "high",
    "More is accepted than before. A pattern that matches anything is none.",
  ],
  "constraint-tightened": ["limit tightened", "low", "Less is accepted than before: callers may break."],
  "constraint-changed": [
    "limit changed",
    "high",
    "Other values are accepted than before. High for the pattern of a host, a path or an address.",
  ],
  "condition-added": ["condition added", "low", "What is accepted depends on other values now."],
  "condition-removed": [
    "condition removed",
    "medium",
    "What was accepted under a condition alone may be accepted always.",
  ],
  "condition-changed": ["condition changed", "medium", "What is accepted depends on something else."],
  "alternative-added": [
    "alternative added",
    "high",
    "Another kind of value is accepted too. High for free text beside a closed choice, which undoes it.",
  ],
  "alternative-removed": ["alternative removed", "low", "A kind of value is no longer accepted: callers may break."],
  opened: ["schema opened", "high", "Members are accepted that nothing names, or values where none were."],
  closed: ["schema closed", "high", "Members that nothing names are no longer accepted, or not all of them."],
  "default-added": [
    "default added",
    "high",
    "A call that leaves the property out now means a value that the server chose. High where it says where data goes.",
  ],
  "default-removed": [
    "default removed",
    "high",
    "Nothing stands in where the property is left out. High where the default held calls back.",
  ],
  "default-changed": [
    "default changed",
    "high",
    "A call that leaves the property out means something else. High where it says where data goes.",
  ],
  "examples-changed": ["examples changed", "medium", "Models imitate examples."],
  "text-changed": [
    "text of a schema changed",
    "medium",
    "Descriptions of parameters are read by the model as the tool's own is. What they ask for is found by the rules on texts.",
  ],
  "ref-changed": [
    "reference changed",
    "high",
    "A reference leads elsewhere. High where more is accepted there, or where it leads out of the schema.",
  ],
  "definition-added": ["definition added", "low", "A definition came that references can lead to."],
  "definition-removed": [
    "definition removed",
    "medium",
    "A definition is gone. Medium where a reference now leads nowhere.",
  ],
  "header-mirror-added": [
    "argument copied into a header",
    "high",
    "Clients copy the argument into a request header, where proxies and logs see it.",
  ],
  "header-mirror-changed": [
    "argument copied into another header",
    "high",
    "Clients copy the argument into another request header.",
  ],
  "header-mirror-removed": [
    "argument no longer copied into a header",
    "low",
    "Clients no longer copy the argument into a request header.",
  ],
  "annotation-changed": [
    "note on a property changed",
    "low",
    "Whether a property is deprecated, read only or write only.",
  ],
  "keyword-added": [
    "unknown keyword added",
    "medium",
    "A keyword that JSON Schema does not have: a client may hand it to the model, act on it or drop it.",
  ],
  "keyword-removed": ["unknown keyword removed", "medium", "A keyword that JSON Schema does not have is gone."],
  "keyword-changed": [
    "unknown keyword changed",
    "medium",
    "A keyword that JSON Schema does not have says something else.",
  ],
}

const ruleOf = ([title, severity, help]: readonly [string, Severity, string], isAnswer: boolean): Rule =>
  isAnswer
    ? {
        title: `answer: ${title}`,
        help: `In the schema of answers. ${help}`,
        severity: severity === "high" ? "medium" : severity,
      }
    : { title, help, severity }

/** Rules by id: "schema.*" for arguments, "output-schema.*" for answers. */
export const SCHEMA_RULES: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries(KINDS).flatMap(([kind, words]) => [
    [`schema.${kind}`, ruleOf(words, false)],
    [`output-schema.${kind}`, ruleOf(words, true)],
  ]),
)
