// A statement for an auditor, as text and as a document: plain lines, every fact with its label, so that two of them can be compared by
// diff(1). Everything from the lockfile is escaped.
import type { JsonObject, JsonValue } from "../core/json.js"
import { SECTION_NAMES } from "../core/section.js"
import type { StatedHead, StatedLog, StatedPin, Statement } from "../features/statement.js"
import { showItem, showText } from "../surface/shown-text.js"
import { countItems, formatSec } from "./render.js"
import { pasteLine } from "./shell-words.js"

/** How to come to the same from the lockfile and a root. `root`: as it was typed. */
export function repeatSteps({ lockfile }: Statement, roots: readonly string[]): readonly string[] {
  const typed = roots.flatMap((root) => ["--root", root])
  return [
    pasteLine("sha256sum", lockfile.file),
    pasteLine("toolsum", "verify", lockfile.file, ...typed),
    pasteLine("toolsum", "report", "--statement", "--lock", lockfile.file, ...typed),
  ].flatMap((line) => line ?? [])
}

/** For people. Ends with a line feed. */
export function renderStatement(statement: Statement, repeat: readonly string[]): string {
  const { toolVersion, madeAtSec, lockfile, logs, pins, notShown } = statement
  const rows = [
    "Statement on what a lockfile proves",
    row("made", `${formatSec(madeAtSec)} by toolsum ${toolVersion}, without network`),
    row("lockfile", `${lockfile.file}, ${lockfile.digest}`),
    ...logs.flatMap((log) => ["", ...describeLog(log)]),
    ...pins.flatMap((pin) => ["", ...describePin(pin)]),
    "",
    "To repeat it, with the lockfile and a root from somebody you trust:",
    ...repeat.map((line) => `  ${line}`),
    "  by other means: FORMAT.md has every byte; records and proofs are as RFC 6962 and C2SP say",
    "",
    "What it does not show:",
    ...notShown.map((line) => `  ${line}`),
  ]
  return `${rows.join("\n")}\n`
}

const LABEL_WIDTH = 15

const row = (label: string, value: string): string =>
  `  ${label.padEnd(LABEL_WIDTH)}${showText(value).replaceAll("\n", " ")}`

function describeLog(log: StatedLog): readonly string[] {
  const { fingerprint, source, keyrings, quorum, heads } = log
  return [
    `Log ${showItem(log.log)}`,
    row(
      "root",
      `${fingerprint ?? "cannot be read"}, ${source === null ? "named by nobody: nothing is proven by it" : `named by ${source}`}`,
    ),
    ...(log.dialect === "legion"
      ? [row("dialect", "LEGION")]
      : [row("keyrings", keyrings.join(", ") || "none that can be read")]),
    row("quorum", quorum ?? "none: no cosignature is asked for"),
    ...heads.map((head) =>
      row(
        "head",
        `${head.size}, root hash ${head.rootHash}, ${countItems(head.cosigners, "cosigners")}, ${describeOutside(head)}`,
      ),
    ),
  ]
}

const describeOutside = ({ outsideSec }: Pick<StatedHead, "outsideSec">): string =>
  outsideSec === null ? "no outside time" : `there by ${formatSec(outsideSec)}, by its cosignatures`

function describePin(pin: StatedPin): readonly string[] {
  const { approval, leaf, leafHash, head } = pin
  const items = SECTION_NAMES.flatMap((section) =>
    Object.entries(pin.items[section] ?? {}).map(([name, digest]) =>
      row(section.replace(/s$/, ""), `${digest} ${showItem(name)}`),
    ),
  )
  const isApproved = approval !== null && approval.pin === pin.pin
  return [
    `Pin ${showItem(pin.name)}`,
    row("verdict", [pin.verdict, pin.reason, pin.detail].flatMap((part) => part ?? []).join(": ")),
    row("subject", pin.subject ?? "cannot be read"),
    row("version", pin.version ?? "none"),
    row("leaf", leaf === null ? "not logged" : `${leaf} of ${pin.log}${leafHash === null ? "" : `, hash ${leafHash}`}`),
    row("proven in", head === null ? "no head" : `head ${head}, ${describeOutside(pin)}`),
    row(
      "observed",
      pin.observedSec === null
        ? "cannot be read"
        : `${formatSec(pin.observedSec)}${pin.observer === null ? "" : `, claimed by ${pin.observer}`}`,
    ),
    row("surface", pin.surface ?? "none"),
    ...items,
    row("pin", pin.pin ?? "cannot be read"),
    row(
      "approval",
      approval === null
        ? "none"
        : `${isApproved ? "of this pin" : `of another pin, ${approval.pin}`}, ${approval.at}, claimed by ${approval.claimedBy}${approval.reason === null ? "" : `: ${approval.reason}`}`,
    ),
  ]
}

/** As a member of a document. */
export function statementMember(statement: Statement, repeat: readonly string[]): JsonValue {
  const { toolVersion, madeAtSec, lockfile, logs, pins, notShown } = statement
  return {
    toolVersion,
    madeAt: formatSec(madeAtSec),
    lockfile: { ...lockfile },
    logs: logs.map(logMember),
    pins: pins.map(pinMember),
    repeat: [...repeat],
    notShown: [...notShown],
  }
}

const logMember = (log: StatedLog): JsonObject => ({
  ...{ log: log.log, dialect: log.dialect, fingerprint: log.fingerprint, source: log.source },
  ...{ keyrings: [...log.keyrings], quorum: log.quorum },
  heads: log.heads.map(({ size, rootHash, cosigners, outsideSec }) => ({
    ...{ size: String(size), rootHash, cosigners, outsideTime: secOrNull(outsideSec) },
  })),
})

function pinMember(pin: StatedPin): JsonObject {
  const { name, verdict, reason, detail, subject, version, surface, leafHash, log, observer, approval } = pin
  return {
    ...{ name, verdict, reason, detail, subject, version, surface, pin: pin.pin, log },
    ...{ leaf: decimalOrNull(pin.leaf), leafHash, head: decimalOrNull(pin.head) },
    ...{ observed: secOrNull(pin.observedSec), observer, outsideTime: secOrNull(pin.outsideSec) },
    items: Object.fromEntries(Object.entries(pin.items).map(([section, items]) => [section, { ...items }])),
    approval: approval && { ...approval },
  }
}

const decimalOrNull = (value: bigint | null): string | null => (value === null ? null : String(value))
const secOrNull = (value: bigint | null): string | null => (value === null ? null : formatSec(value))
