// Starting and contacting servers for a command: the consent that it needs, the adapter that reads it. The adapter and the MCP SDK behind
// it load only here, when a server is really read.
import { dirname, join, resolve } from "node:path"
import { createFileConsent } from "../adapters/consent-fs.js"
import type { AddressRule } from "../adapters/network-address.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { computeConsentDigest } from "../features/targets.js"
import type { Consent, ToolSource } from "../ports.js"
import { readVersion } from "./help.js"
import type { Io } from "./io.js"
import type { OptionSpec, Options } from "./options.js"
import { describeTarget } from "./typed-target.js"

/** A project whose servers are started. */
export interface StartPlace {
  readonly lockfilePath: string
  /** Of the command line: whether `--lock` named lockfiles. */
  readonly options: Options
  readonly io: Io
}

/** How to read a target. `reach`: which addresses a URL may lead to; `any` for one that this user named or accepted. */
export async function openServer(
  p: StartPlace & { target: Target; placeholders: readonly string[]; reach: AddressRule },
): Promise<ToolSource> {
  const { target, placeholders, reach, options, io } = p
  const values = { environment: io.env, placeholders }
  const clientVersion = readVersion()
  if (isCommandTarget(target)) {
    const { createStdioToolSource } = await import("../adapters/mcp-stdio.js")
    return createStdioToolSource({ target, cwd: baseFolder(target, p), ...values, clientVersion })
  }
  const { createHttpToolSource } = await import("../adapters/mcp-http.js")
  // What was read with a dummy is read so again: with a token it would be another profile.
  const clientCredentials = options.values("client-credentials").filter((name) => !placeholders.includes(name))
  return createHttpToolSource({ target, ...values, clientVersion, addresses: reach, clientCredentials })
}

/** The absolute folder that a target starts in: its `cwd`, from the base folder, or that itself. */
export const startFolder = (target: Target, place: StartPlace): string =>
  resolve(baseFolder(target, place), (isCommandTarget(target) && target.cwd) || ".")

/** The lockfile's folder, so that a command means the same in every subfolder; for a command without `cwd` the working folder where `--lock`
 *  named the lockfile, which may lie anywhere. */
const baseFolder = (target: Target, { lockfilePath, options, io }: StartPlace): string =>
  options.values("lock").length > 0 && isCommandTarget(target) && target.cwd === undefined
    ? io.cwd
    : dirname(lockfilePath)

/** The user's consent store, outside every repository. */
const openConsent = (io: Io): Consent =>
  createFileConsent(join(findUserDirs(io.env, io.platform).config, "consent.json"), io.nowSec)

/** Options of commands that start servers which a lockfile names. */
export const CONSENT_OPTIONS: readonly OptionSpec[] = [
  ["--accept-targets", "Start every server that the lockfile names, whoever wrote it"],
  ["--accept-targets-from <ref>", "Start servers whose launch line is the one in the lockfile at this git revision"],
]

/** Remember that the user accepts a target, which they typed themselves or were asked about. */
export const acceptTarget = (target: Target, why: string, place: StartPlace): Promise<void> =>
  openConsent(place.io).add(computeConsentDigest(target, startFolder(target, place)), why)

/** A server that may have to be asked about. */
export interface NamedTarget {
  readonly name: string
  readonly target: Target
}

/** What may be started. */
export interface Gate {
  /** True for what the user accepted before. */
  remembers(target: Target): Promise<boolean>
  /** True for that, and for what a flag or an earlier revision accepts for this run; asks nobody. */
  accepts(target: Target): Promise<boolean>
  /** The same, and where a terminal is, the person there is asked: once, a yes is remembered, unless it is a dry run. */
  mayStart(name: string, target: Target): Promise<boolean>
  /** The same for several, in one question that lists those it is about. False: none of those may be started. */
  mayStartAll(servers: readonly NamedTarget[]): Promise<boolean>
  /** Which addresses an accepted URL may lead to: public ones only, where nothing but `--accept-targets` accepts it. */
  reachOf(target: Target): Promise<AddressRule>
}

/** The gate for the servers of a lockfile. Throws USAGE for a revision that has none. */
export async function openGate(place: StartPlace): Promise<Gate> {
  const { lockfilePath, options, io } = place
  const digestOf = (target: Target) => computeConsentDigest(target, startFolder(target, place))
  const consent = openConsent(io)
  const ref = options.value("accept-targets-from")
  const earlier = new Set((ref === null ? [] : await targetsAt(ref, lockfilePath, io)).map(digestOf))
  const asked = new Set<string>()
  const remembers = async (target: Target) => asked.has(digestOf(target)) || consent.has(digestOf(target))
  const accepts = async (target: Target) =>
    options.flag("accept-targets") || earlier.has(digestOf(target)) || remembers(target)
  const mayStartAll = async (servers: readonly NamedTarget[]) => {
    const isKnown = await Promise.all(servers.map(({ target }) => accepts(target)))
    const unknown = servers.filter((_, i) => !isKnown[i])
    if (unknown.length === 0) return true
    if (io.ask === null) return false
    if ((await io.ask(questionOn(unknown, place))).trim().toLowerCase() !== "yes") return false
    for (const { name, target } of unknown) {
      asked.add(digestOf(target))
      if (!options.flag("dry-run")) await consent.add(digestOf(target), `asked for ${name}`)
    }
    return true
  }
  return {
    remembers,
    accepts,
    reachOf: async (target) => (earlier.has(digestOf(target)) || (await remembers(target)) ? "any" : "public"),
    mayStart: (name, target) => mayStartAll([{ name, target }]),
    mayStartAll,
  }
}

/** All that will be started or contacted, and what a yes means. */
function questionOn(servers: readonly NamedTarget[], place: StartPlace): string {
  const show = (target: Target) => escapeInvisible(describeLaunch(target, startFolder(target, place)))
  const when = place.options.flag("dry-run") ? "now" : "now and later"
  const [only] = servers
  if (only !== undefined && servers.length === 1) {
    const [verb, doing] = isCommandTarget(only.target) ? ["Start", "start"] : ["Contact", "contact"]
    return `${verb} ${only.name}? ${show(only.target)}\nAnswer yes to ${doing} it ${when}: `
  }
  const lines = servers.map(({ name, target }) => `  ${name}: ${show(target)}\n`)
  return `Start or contact these ${servers.length} servers?\n${lines.join("")}Answer yes to do so ${when}: `
}

/** The error for a target that may not be started. */
export const notAccepted = (target: Target): ToolsumError =>
  new ToolsumError(
    "TARGET_NOT_ACCEPTED",
    isCommandTarget(target)
      ? `not started: this account has not accepted ${describeLaunch(target)} for this folder; --accept-targets accepts all`
      : `not contacted: this account has not accepted ${describeLaunch(target)}; --accept-targets accepts all`,
  )

async function targetsAt(ref: string, lockfilePath: string, { env }: Io): Promise<readonly Target[]> {
  const { readAtRevision } = await import("../adapters/git.js")
  const { parseLockfile } = await import("../core/lockfile.js")
  const bytes = await readAtRevision(ref, lockfilePath, env)
  if (bytes === null) throw new ToolsumError("USAGE", `--accept-targets-from: there is no lockfile at ${ref}`)
  return Object.values(parseLockfile(bytes).servers).flatMap(({ target }) => target ?? [])
}

/** Longest path that a system takes. */
const MAX_PATH_CHARS = 4096

/** All that starting a target means: its words, its folder, the variables it gets. Nothing is cut off: a yes is for all of it. Untrusted. */
function describeLaunch(target: Target, folder?: string): string {
  if (!isCommandTarget(target)) {
    const headers = Object.entries(target.headers).map(([name, value]) => `${name}: ${value}`)
    return `"${target.url}"${headers.length === 0 ? "" : `, with the headers "${headers.join(", ")}"`}`
  }
  const place = folder ?? target.cwd
  const where = place === undefined ? "" : ` in ${quote(place, MAX_PATH_CHARS)}`
  const variables = target.env.length === 0 ? "" : `, with the variables ${target.env.join(", ")}`
  return `"${describeTarget(target)}"${where}${variables}`
}
