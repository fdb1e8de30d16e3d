// Starting servers for a command: what it asks of the launch line, the consent that starting it needs, the adapter that reads it.
// The adapter and the MCP SDK behind it load only here, when a server is really read.
import { dirname, join } from "node:path"
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
  const env = [...options.values("env"), ...options.values("placeholder")]
  return buildCommandTarget({ launch, env, cwd: options.value("cwd"), environment: io.env })
}

/** How to read a target. Relative folders of it start at the lockfile's folder. Throws USAGE for a URL. */
export async function openServer(p: {
  target: Target
  placeholders: readonly string[]
  lockfilePath: string
  io: Io
}): Promise<ToolSource> {
  const { target, placeholders, lockfilePath, io } = p
  if (!isCommandTarget(target)) throw new ToolsumError("USAGE", "servers behind a URL cannot be read yet")
  const { createStdioToolSource } = await import("../adapters/mcp-stdio.js")
  const cwd = startFolder(target, lockfilePath, io)
  return createStdioToolSource({ target, cwd, environment: io.env, placeholders, clientVersion: readVersion() })
}

/** The folder that a target is started in, or that its own `cwd` is relative to. */
const startFolder = (target: Target, lockfilePath: string, io: Io): string =>
  isCommandTarget(target) && target.cwd !== undefined ? dirname(lockfilePath) : io.cwd

/** The user's consent store, outside every repository. */
const openConsent = (io: Io): Consent =>
  createFileConsent(join(findUserDirs(io.env, io.platform).config, "consent.json"), io.nowSec)

/** Options of commands that start servers which a lockfile names. */
export const CONSENT_OPTIONS: readonly OptionSpec[] = [
  ["--accept-targets", "Start every server that the lockfile names, whoever wrote it"],
  ["--accept-targets-from <ref>", "Start servers whose launch line is the one in the lockfile at this git revision"],
]

/** Remember that the user accepts a target, which they typed themselves or were asked about. */
export const acceptTarget = (target: Target, why: string, lockfilePath: string, io: Io): Promise<void> =>
  openConsent(io).add(computeConsentDigest(target, startFolder(target, lockfilePath, io)), why)

/** What may be started. */
export interface Gate {
  /** True for what the user, a flag or an earlier revision accepts; asks nobody. */
  accepts(target: Target): Promise<boolean>
  /** The same, and where a terminal is, the person there is asked: once, a yes is remembered. */
  mayStart(name: string, target: Target): Promise<boolean>
}

/** The gate for the servers of a lockfile. Throws USAGE for a revision that has none. */
export async function openGate(p: { lockfilePath: string; options: Options; io: Io }): Promise<Gate> {
  const { lockfilePath, options, io } = p
  const digestOf = (target: Target) => computeConsentDigest(target, startFolder(target, lockfilePath, io))
  const consent = openConsent(io)
  const ref = options.value("accept-targets-from")
  const earlier = new Set((ref === null ? [] : await targetsAt(ref, lockfilePath)).map(digestOf))
  const accepts = async (target: Target) => {
    const digest = digestOf(target)
    return options.flag("accept-targets") || earlier.has(digest) || consent.has(digest)
  }
  return {
    accepts,
    mayStart: async (name, target) => {
      if (await accepts(target)) return true
      if (io.ask === null) return false
      const question = `Start ${name}? ${escapeInvisible(describeLaunch(target))}\nAnswer yes to start it now and later: `
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
    `not started: this account has not accepted ${describeLaunch(target)}; --accept-targets accepts all`,
  )

async function targetsAt(ref: string, lockfilePath: string): Promise<readonly Target[]> {
  const { readAtRevision } = await import("../adapters/git.js")
  const { parseLockfile } = await import("../core/lockfile.js")
  const bytes = await readAtRevision(ref, lockfilePath)
  if (bytes === null) throw new ToolsumError("USAGE", `--accept-targets-from: there is no lockfile at ${ref}`)
  return Object.values(parseLockfile(bytes).servers).map((pin) => pin.target)
}

/** All that starting a target means: its words, its folder, the variables it gets. Untrusted. */
function describeLaunch(target: Target): string {
  if (!isCommandTarget(target)) return describeTarget(target)
  const folder = target.cwd === undefined ? "" : ` in ${quote(target.cwd)}`
  const variables = target.env.length === 0 ? "" : `, with the variables ${target.env.join(", ")}`
  return `"${describeTarget(target)}"${folder}${variables}`
}

/** A target for people, as it would be typed. Untrusted: escape it before it is shown. */
export function describeTarget(target: Target): string {
  return isCommandTarget(target) ? [target.command, ...target.args].map(quoteWord).join(" ") : target.url
}

const quoteWord = (word: string): string => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))
