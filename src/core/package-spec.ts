// The word that names a package or image on a command line, and the subject it stands for (formats 16 to 18): npm, PyPI, OCI.
// Only specs that a registry resolves count: git, file, tarball, alias and URL specs give null, and the target is then local.
import type { Ecosystem } from "./launchers.js"

/** A package: its name as the ecosystem spells it, the exact version in the spec or null, and the purl without registry. */
export interface PackageSpec {
  readonly name: string
  readonly version: string | null
  readonly purl: string
}

/** Longest spec that is read, in characters. */
const MAX_SPEC_CHARS = 1024

/** Read a package or image spec; null for one that no registry resolves. Pure. */
export function parsePackageSpec(ecosystem: Ecosystem, text: string): PackageSpec | null {
  if (text.length > MAX_SPEC_CHARS) return null
  if (ecosystem === "npm") return parseNpmSpec(text)
  return ecosystem === "pypi" ? parsePypiSpec(text) : parseImage(text)
}

/** Percent-encode all but `A-Za-z0-9.-_~:/` (formats 17). ASCII only. */
export const encodePurl = (text: string): string =>
  text.replace(/[^A-Za-z0-9.\-_~:/]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)

const NPM_SPEC = /^((?:@[A-Za-z0-9-][A-Za-z0-9._~-]*\/)?[A-Za-z0-9][A-Za-z0-9._~-]*)(?:@(.*))?$/s
const NPM_RANGE = /^[A-Za-z0-9^<>=*|~ ][A-Za-z0-9.^~<>=|*+_ -]*$/
const TARBALL = /\.(?:tgz|tar\.gz|tar)$/i
const NUMBER = "(?:0|[1-9][0-9]*)"
const SEMVER = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$`,
)
const MAX_VERSION_CHARS = 128

const exact = (version: string, grammar: RegExp): string | null =>
  version.length <= MAX_VERSION_CHARS && grammar.test(version) ? version : null

function parseNpmSpec(text: string): PackageSpec | null {
  const [, name = "", range] = NPM_SPEC.exec(text) ?? []
  if (name === "" || TARBALL.test(text)) return null
  if (range !== undefined && !NPM_RANGE.test(range)) return null
  return { name, version: exact(range ?? "", SEMVER), purl: `pkg:npm/${encodePurl(name)}` }
}

const PYPI_SPEC = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[A-Za-z0-9._, -]*\])?(.*)$/s
const PYPI_RANGE = /^(?:@[A-Za-z0-9.!+_-]+| ?[<>=!~][A-Za-z0-9.,<>=!~*+_ -]+)$/
const PYPI_FILE = /\.(?:py|whl|zip|tgz|tar\.gz)$/i
const PEP_440 =
  /^(?:[0-9]+!)?[0-9]+(?:\.[0-9]+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview)[-_.]?[0-9]*)?(?:-[0-9]+|[-_.]?(?:post|rev|r)[-_.]?[0-9]*)?(?:[-_.]?dev[-_.]?[0-9]*)?(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?$/i

function parsePypiSpec(text: string): PackageSpec | null {
  const [, raw = "", rest = ""] = PYPI_SPEC.exec(text) ?? []
  if (raw === "" || PYPI_FILE.test(raw) || (rest !== "" && !PYPI_RANGE.test(rest))) return null
  const name = raw.toLowerCase().replace(/[-_.]+/g, "-") // PEP 503
  const version = rest.startsWith("@") ? rest.slice(1) : rest.startsWith("==") ? rest.slice(2) : ""
  return { name, version: exact(version, PEP_440), purl: `pkg:pypi/${name}` }
}

const DEFAULT_IMAGE_HOSTS = ["docker.io", "index.docker.io"]
const IMAGE_HOST = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:]+\])(?::[0-9]{1,5})?$/
const IMAGE_PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const IMAGE_REFERENCE = /^(.*?)(?::([A-Za-z0-9_][A-Za-z0-9._-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/s

function parseImage(text: string): PackageSpec | null {
  const [, repository = "", , digest] = IMAGE_REFERENCE.exec(text) ?? []
  const slash = repository.indexOf("/")
  const first = slash < 0 ? "" : repository.slice(0, slash)
  const hasHost = first === "localhost" || /[.:]/.test(first)
  const host = hasHost ? first.toLowerCase() : ""
  const path = hasHost ? repository.slice(slash + 1) : repository
  if (!IMAGE_PATH.test(path) || (hasHost && !IMAGE_HOST.test(host))) return null
  const name = imageName(host, path)
  const last = path.slice(path.lastIndexOf("/") + 1)
  return { name, version: digest ?? null, purl: `pkg:oci/${encodePurl(last)}?repository_url=${encodePurl(name)}` }
}

/** `[host/]path` with the default registry spelled without host and `library/` written out (formats 18). */
function imageName(host: string, path: string): string {
  if (host !== "" && !DEFAULT_IMAGE_HOSTS.includes(host)) return `${host}/${path}`
  return path.includes("/") ? path : `library/${path}`
}
