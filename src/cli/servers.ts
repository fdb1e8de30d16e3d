// Starting servers for a command: what it asks of the launch line, the consent that starting it needs, the adapter that reads it.
// The adapter and the MCP SDK behind it load only here, when a server is really read.
import { dirname, join, resolve } from "node:path"
import { createFileConsent } from "../adapters/consent-fs.js"
import { findUserDirs } from "../adapters/user-dirs.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import { isCommandTarget, type Target } from "../core/target.js"
import { buildCommandTarget, computeConsentDigest } from "../features/targets.js"
import type { Consent, ToolSource } from "../ports.js"
import { readVersion } from "./help.js"
import type { Io } from "./io.js"
import type { CommandLine, OptionSpec, Options } from "./options.js"

/** Options of commands that take a launch line. */
export const LAUNCH_OPTIONS: readonly OptionSpec[] = [
  ["--env <name>", "Variable that the server gets, by name; repeatable"],
  ["--placeholder <name>", "Variable that the server gets as a dummy text, so that it starts; repeatable"],
  ["--cwd <folder>", "Folder to start the server in, relative to the lockfile's"],
  ["--resources", "Read the list of resources too"],
]

/** The target that a command line names. Throws USAGE for none, for a URL, and for a secret in it. */
export function readTarget({ words, launch, options }: CommandLine, io: Io): Target {
  const url = words.find((word) => /^https?:\/\//i.test(word))
  if (url !== undefined)
    throw new ToolsumError("USAGE", "servers behind a URL cannot be read yet; give a command after --")
  if (launch === null || launch.length === 0)
    throw new ToolsumError(
      "USAGE",
      "expected the server's command after the name, such as: -- npx -y some-server@1.2.3",
    )
  const { env, placeholders } = readVariables(options)
  return buildCommandTarget({
    launch,
    env: [...env, ...placeholders],
    cwd: options.value("cwd"),
    environment: io.env,
  })
}

/** Names of variables that were typed: those that get their value, and those that get a dummy text. Throws USAGE for one that is both. */
export function readVariables(options: Options): { env: readonly string[]; placeholders: readonly string[] } {
  const [env, placeholders] = [options.values("env"), options.values("placeholder")]
  const both = env.find((name) => placeholders.includes(name))
  if (both === undefined) return { env, placeholders }
  throw new ToolsumError("USAGE", `expected ${quote(both)} after --env or after --placeholder, got both`)
}

/** A project whose servers are started. */
export interface StartPlace {
  readonly lockfilePath: string
  /** Of the command line: whether `--lock` named the lockfile. */
  readonly options: Options
  readonly io: Io
}

/** How to read a target. Throws USAGE for a URL. */
export async function openServer(
  p: StartPlace & { target: Target; placeholders: readonly string[] },
): Promise<ToolSource> {
  const { target, placeholders, io } = p
  if (!isCommandTarget(target)) throw new ToolsumError("USAGE", "servers behind a URL cannot be read yet")
  const { createStdioToolSource } = await import("../adapters/mcp-stdio.js")
  const cwd = baseFolder(target, p)
  return createStdioToolSource({ target, cwd, environment: io.env, placeholders, clientVersion: readVersion() })
}

/** The absolute folder that a target starts in: its `cwd`, from the base folder, or that itself. */
const startFolder = (target: Target, place: StartPlace): string =>
  resolve(baseFolder(target, place), (isCommandTarget(target) && target.cwd) || ".")

/** The lockfile's folder, so that a command means the same in every subfolder; for a command without `cwd` the working folder where `--lock`
 *  named the lockfile, which may lie anywhere. */
const baseFolder = (target: Target, { lockfilePath, options, io }: StartPlace): string =>
  options.value("lock") !== null && isCommandTarget(target) && target.cwd === undefined ? io.cwd : dirname(lockfilePath)

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

/** What may be started. */
export interface Gate {
  /** True for what the user accepted before. */
  remembers(target: Target): Promise<boolean>
  /** True for that, and for what a flag or an earlier revision accepts for this run; asks nobody. */
  accepts(target: Target): Promise<boolean>
  /** The same, and where a terminal is, the person there is asked: once, a yes is remembered. */
  mayStart(name: string, target: Target): Promise<boolean>
}

/** The gate for the servers of a lockfile. Throws USAGE for a revision that has none. */
export async function openGate(place: StartPlace): Promise<Gate> {
  const { lockfilePath, options, io } = place
  const digestOf = (target: Target) => computeConsentDigest(target, startFolder(target, place))
  const consent = openConsent(io)
  const ref = options.value("accept-targets-from")
  const earlier = new Set((ref === null ? [] : await targetsAt(ref, lockfilePath)).map(digestOf))
  const remembers = async (target: Target) => consent.has(digestOf(target))
  const accepts = async (target: Target) =>
    options.flag("accept-targets") || earlier.has(digestOf(target)) || remembers(target)
  return {
    remembers,
    accepts,
    mayStart: async (name, target) => {
      if (await accepts(target)) return true
      if (io.ask === null) return false
      const launch = escapeInvisible(describeLaunch(target, startFolder(target, place)))
      const question = `Start ${name}? ${launch}\nAnswer yes to start it now and later: `
      if ((await io.ask(question)).trim().toLowerCase() !== "yes") return false
      await consent.add(digestOf(target), `asked for ${name}`)
      return true
    },
  }
}

/** The error for a target that may not be started. */
export const notAccepted = (target: Target): ToolsumError =>
  new ToolsumError(
    "TARGET_NOT_ACCEPTED",
    `not started: this account has not accepted ${describeLaunch(target)} for this folder; --accept-targets accepts all`,
  )

async function targetsAt(ref: string, lockfilePath: string): Promise<readonly Target[]> {
  const { readAtRevision } = await import("../adapters/git.js")
  const { parseLockfile } = await import("../core/lockfile.js")
  const bytes = await readAtRevision(ref, lockfilePath)
  if (bytes === null) throw new ToolsumError("USAGE", `--accept-targets-from: there is no lockfile at ${ref}`)
  return Object.values(parseLockfile(bytes).servers).map((pin) => pin.target)
}

/** All that starting a target means: its words, its folder, the variables it gets. Untrusted. */
function describeLaunch(target: Target, folder?: string): string {
  if (!isCommandTarget(target)) return describeTarget(target)
  const place = folder ?? target.cwd
  const where = place === undefined ? "" : ` in ${quote(place, 300)}`
  const variables = target.env.length === 0 ? "" : `, with the variables ${target.env.join(", ")}`
  return `"${describeTarget(target)}"${where}${variables}`
}

/** A target for people, as it would be typed. Untrusted: escape it before it is shown. */
export function describeTarget(target: Target): string {
  return isCommandTarget(target) ? [target.command, ...target.args].map(quoteWord).join(" ") : target.url
}

const quoteWord = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))
