// `--base`: what a tree changes of its lockfile and settings against the revision that it is held to (DESIGN 8, FORMAT.md "A base"). Pure: the
// files are read by cli/base.ts. The parts are base-gate-settings.ts, base-gate-logs.ts and base-gate-pins.ts.
import { type BaseFinding, type BaseKind, PIN_KINDS } from "../core/base-report.js"
import { attempt, ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { formatLockfile, type Lockfile } from "../core/lockfile.js"
import { formatRootArgument, type PinnedRoot } from "../core/root.js"
import { failOnOf, liveWishOf, mayAskLog, type Settings, type SettingsFile } from "../core/settings.js"
import type { ServerVerdict } from "../core/verdict.js"
import { createFindingMaker, type FindingMaker } from "./base-change.js"
import { compareLogs } from "./base-gate-logs.js"
import {
  type ChangedPin,
  type ComparedLockfiles,
  compareEvidence,
  compareGone,
  compareReading,
  findChangedPins,
} from "./base-gate-pins.js"
import { combineSettings, compareSettings } from "./base-gate-settings.js"
import { ownMember } from "./merge-sides.js"
import { EMPTY_LOCKFILE, pinDigestOf } from "./pins.js"

/** The same thing at the merge base, at the base's newest commit, and in the tree under test. */
export interface ThreeTimes<T> {
  readonly base: T
  readonly atRef: T
  readonly tree: T
}

/** What is compared. `lockfile`: its name from the top of the repository. */
export interface BaseInput {
  readonly lockfile: string
  /** Null where there is none. */
  readonly lockfiles: ThreeTimes<Lockfile | null>
  readonly settings: ThreeTimes<SettingsFile>
  /** Pins whose definitions file is missing, and was not missing at the merge base for the same pin. */
  readonly missingDefinitions: readonly string[]
  /** Digests that were accepted from outside the tree. */
  readonly accepted: ReadonlySet<string>
}

/** What the tree changes, before any evidence is looked at. */
export interface Departure {
  readonly findings: readonly BaseFinding[]
  readonly changed: readonly ChangedPin[]
  readonly settings: Settings
  /** New roots of the tree's settings that were accepted: as good as typed. */
  readonly roots: readonly PinnedRoot[]
  /** Pins whose missing definitions were accepted. */
  readonly mayLackDefinitions: ReadonlySet<string>
  readonly make: FindingMaker
}

/** Compare a tree with its base. */
export function compareWithBase(input: BaseInput): Departure {
  const { lockfiles, settings, accepted } = input
  const make = createFindingMaker(input.lockfile, accepted)
  const compared: ComparedLockfiles = {
    base: lockfiles.base ?? EMPTY_LOCKFILE,
    atRef: lockfiles.atRef ?? EMPTY_LOCKFILE,
    tree: lockfiles.tree ?? EMPTY_LOCKFILE,
  }
  const ofSettings = compareSettings(settings, make)
  const definitions = input.missingDefinitions.map((name) => describeMissing(name, compared.tree, make))
  const changed = findChangedPins(compared)
  return {
    findings: [
      ...ofSettings,
      ...(lockfiles.tree === null
        ? compareMissingLockfile(lockfiles.base, make)
        : compareParts(compared, settings, make)),
      ...changed.flatMap((pin) => compareReading(pin, ownMember(settings.atRef.settings.masks, pin.name) ?? [], make)),
      ...definitions,
    ],
    changed,
    settings: combineSettings(settings.atRef.settings, settings.tree.settings),
    roots: acceptedRoots(ofSettings, settings.tree.settings),
    mayLackDefinitions: new Set(definitions.flatMap(({ status, name }) => (status === "accepted" ? [name] : []))),
    make,
  }
}

function compareParts(
  compared: ComparedLockfiles,
  settings: ThreeTimes<SettingsFile>,
  make: FindingMaker,
): readonly BaseFinding[] {
  const { base, atRef, tree } = compared
  const { logs } = settings.atRef.settings
  const known = (origin: string) => logs !== null && mayAskLog(settings.atRef.settings, origin)
  return [
    ...compareLogs({ base: base.logs, atRef: atRef.logs, tree: tree.logs, known }, make),
    ...compareGone(compared, (name, other) => asksAlike(settings.atRef.settings, name, other), make),
    ...findRequired(settings.atRef.settings, tree, make),
  ]
}

/** True where the settings ask the same of two pins. */
const asksAlike = (settings: Settings, name: string, other: string): boolean =>
  failOnOf(settings, name) === failOnOf(settings, other) && liveWishOf(settings, name) === liveWishOf(settings, other)

const findRequired = ({ required }: Settings, tree: Lockfile, make: FindingMaker): readonly BaseFinding[] =>
  required
    .filter((name) => ownMember(tree.servers, name) === null)
    .map((name) => make.change({ kind: "required", name, before: null, after: null }, "it must be pinned, and is not"))

function compareMissingLockfile(base: Lockfile | null, make: FindingMaker): readonly BaseFinding[] {
  if (base === null) return []
  const change = { kind: "lockfile", name: "", before: computeTextDigest(formatLockfile(base)), after: null } as const
  return [make.change(change, `the lockfile is gone, with ${Object.keys(base.servers).length} pins`)]
}

function describeMissing(name: string, tree: Lockfile, make: FindingMaker): BaseFinding {
  const pin = ownMember(tree.servers, name)
  const digest = pin && attempt(() => pinDigestOf(pin))
  const after = digest instanceof ToolsumError ? null : digest
  const change = { kind: "definitions", name, before: null, after } as const
  return make.change(change, `.mcp-tools/${name}.json is missing: nobody can read what was approved`, pin?.approved?.by)
}

const acceptedRoots = (findings: readonly BaseFinding[], tree: Settings): readonly PinnedRoot[] =>
  findings.flatMap(({ kind, name, status }) =>
    kind === "root" && status === "accepted"
      ? tree.roots
          .filter((root) => formatRootArgument(root) === name)
          .map((root) => ({ ...root, source: "flag" as const }))
      : [],
  )

/** All differences, once the evidence of the lockfile was judged. */
export function judgeDeparture(
  { findings, changed, make }: Departure,
  servers: readonly ServerVerdict[],
): readonly BaseFinding[] {
  const lacking = new Set(
    findings.flatMap(({ kind, name, status }) => (kind === "definitions" && status === "open" ? [name] : [])),
  )
  const judged = changed.flatMap((pin) => {
    const verdict = servers.find(({ name }) => name === pin.name) ?? null
    // What is missing is said already, and nothing else can be told while it is.
    if (lacking.has(pin.name) && verdict?.reason === "incomplete") return []
    const found = compareEvidence(pin, verdict, make)
    const isOpen = [...found, ...findings].some(({ kind, name }) => name === pin.name && isPinKind(kind))
    return isOpen ? found : [make.pass("pin", pin.name, describePassed(pin), pin.pin.approved?.by ?? null)]
  })
  return [...findings, ...judged]
}

const isPinKind = (kind: BaseKind): boolean => PIN_KINDS.some((one) => one === kind)

const describePassed = ({ before }: ChangedPin): string =>
  before === null ? "a new pin, proven and approved" : "another pin than the base's, proven and approved in its place"
