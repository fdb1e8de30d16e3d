// What a target is a target of (DESIGN 5, formats 13 and 15 to 20): the subject that names a server in logs, the exact version in
// the target, and `how`, the digest of what else a list may depend on. Launch lines are launchers.ts's, URLs subject-url.ts's.
import { compareUtf8 } from "./bytes.js"
import { canonicalize } from "./canonical.js"
import { computeTextDigest, type Digest } from "./hash.js"
import type { JsonObject } from "./json.js"
import { type Launch, parseLaunch } from "./launchers.js"
import { encodePurl, type PackageSpec, parsePackageSpec } from "./package-spec.js"
import { isSubject } from "./record.js"
import type { SectionName } from "./section.js"
import { computeUrlSubject, urlQuery } from "./subject-url.js"
import { type CommandTarget, isCommandTarget, type Target } from "./target.js"

/** What a target says about its server.
 *  `subject`: null when it is local, and the record's subject is then `local:<pin name>`.
 *  `version`: exact in the target, else null. `floating`: a package without exact version, so that the record's is what was resolved.
 *  `argsAfter`: the words after the package or image; of a local command the command and all its words; none for a URL.
 *  `query`: raw query of a URL without `?`, null when empty. `packageName`: name in its ecosystem, for an image `[host/]path`. */
export interface DerivedSubject {
  readonly subject: string | null
  readonly version: string | null
  readonly floating: boolean
  readonly argsAfter: readonly string[]
  readonly query: string | null
  readonly packageName: string | null
}

/** Derive subject, version and arguments from a target. Pure. */
export function deriveSubject(target: Target): DerivedSubject {
  if (isCommandTarget(target)) return derivePackage(target) ?? deriveLocal(target)
  const subject = computeUrlSubject(target.url)
  return {
    subject: subject !== null && isSubject(subject) ? subject : null,
    version: null,
    floating: false,
    argsAfter: [],
    query: urlQuery(target.url),
    packageName: null,
  }
}

/** The subject of a pin: that of its target, or `local:<pin name>`, which is never sent to a log that others can read. */
export const subjectFor = (target: Target, pinName: string): string =>
  deriveSubject(target).subject ?? localSubject(pinName)

/** The subject of a pin whose target has none of its own. */
export const localSubject = (pinName: string): string => `local:${pinName}`

const REGISTRY_ID = /^[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+\/[A-Za-z0-9._-]+$/

/** True for a name of the official MCP registry, `dns.name/name`: a subject that a URL pin may have (formats 20). */
export const isRegistryId = (text: string): boolean => text.length <= 200 && REGISTRY_ID.test(text)

/** Under which conditions a list is read. `sections`: those asked for. The rest only when it is not the default: no capabilities,
 *  client `toolsum`, language `en`. */
export interface ReadConditions {
  readonly sections: readonly SectionName[]
  readonly capabilities?: JsonObject
  readonly client?: string
  readonly language?: string
}

/** Canonical text of what else a list depends on, and its digest: the record's `how` (formats 13). `derived`: what `deriveSubject` says
 *  of the target, from a caller that has it. Pure. */
export function computeHow(
  target: Target,
  read: ReadConditions,
  derived = deriveSubject(target),
): { text: string; digest: Digest } {
  const { argsAfter, query } = derived
  const { env, headers } = suppliedNames(target)
  const { capabilities = {}, client = "toolsum", language = "en" } = read
  const sections = [...new Set(read.sections)].sort()
  const text = canonicalize({ args: argsAfter, capabilities, client, env, headers, language, query, sections })
  return { text, digest: computeTextDigest(text) }
}

function suppliedNames(target: Target): { env: readonly string[]; headers: readonly string[] } {
  if (isCommandTarget(target)) return { env: [...target.env].sort(compareUtf8), headers: [] }
  const names = Object.keys(target.headers).map((name) => name.toLowerCase())
  return { env: [], headers: names.sort(compareUtf8) }
}

const deriveLocal = ({ command, args }: CommandTarget): DerivedSubject => ({
  subject: null,
  version: null,
  floating: false,
  argsAfter: [command, ...args],
  query: null,
  packageName: null,
})

function derivePackage(target: CommandTarget): DerivedSubject | null {
  const launch = parseLaunch(target)
  const spec = launch && parsePackageSpec(launch.launcher.ecosystem, launch.spec)
  const subject = launch && spec && packageSubject(launch, spec)
  if (!subject || !isSubject(subject)) return null
  const { name, version } = spec
  return {
    subject,
    version,
    floating: version === null,
    argsAfter: launch.args,
    query: null,
    packageName: name,
  }
}

// No user info, query, fragment or template: a registry is named in the subject, for others to read.
const REGISTRY = /^https?:\/\/[A-Za-z0-9._~!&'()*+,;=:%/[\]-]+$/

function packageSubject({ registry }: Launch, { purl }: PackageSpec): string | null {
  if (registry === null) return purl
  return REGISTRY.test(registry) ? `${purl}?repository_url=${encodePurl(registry.replace(/\/$/, ""))}` : null
}
