// The environment of a started server (DESIGN 10): the SDK's small default set, what reaches networks (proxies, authorities), npm's
// settings without its secrets, and the variables that the target names. LANG is not in it: programs then speak their default, English.
import { ToolsumError } from "../core/errors.js"

/** The variables that the official SDK passes on, by platform (its `DEFAULT_INHERITED_ENV_VARS`; a test compares them). */
export const DEFAULT_VARIABLES = {
  posix: ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"],
  win32: [
    ...["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE"],
    ...["PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP"],
    ...["USERNAME", "USERPROFILE", "WINDIR"],
  ],
} as const

const NETWORK_VARIABLES: ReadonlySet<string> = new Set([
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"],
  ...["NODE_EXTRA_CA_CERTS", "NODE_USE_ENV_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"],
])

const NPM_SETTING = /^npm_config_(.*)$/is
/** Settings that hold a credential: `_auth`, `//host/:_authToken`, `_password`, `otp`, `key`, `cert` … (not `cafile`). */
const NPM_SECRET = /auth|token|passw|secret|username|email|otp|(?:^|[_:])(?:key|cert)(?:file)?$/i
/** Settings of the one npm command that runs us, such as `npx --package toolsum …`: they would bend a server's own launch line. */
const NPM_COMMAND =
  /^(?:package|call|workspaces?|include[-_]workspace[-_]root|global|location|local[-_]prefix|dry[-_]run)$/i

/** The text that stands in for a variable which was only set so that the server would start (formats 11). */
export const PLACEHOLDER_TEXT = "toolsum-placeholder"

/** Where values come from. `environment`: usually that of this process. `placeholders`: names that get `PLACEHOLDER_TEXT`. */
export interface Values {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly placeholders: readonly string[]
}

/** The value of a variable. Throws SERVER_AUTH `missing: NAME` when it is not set, or empty: CI writes an absent secret so. */
export function variableValue(name: string, values: Values): string {
  if (values.placeholders.includes(name)) return PLACEHOLDER_TEXT
  const value = lookUp(values.environment, name)
  if (value === undefined || value === "") throw new ToolsumError("SERVER_AUTH", `missing: ${name}`)
  return value
}

/** The whole environment of a child whose target names the variables `names`. Throws SERVER_AUTH as `variableValue`. */
export function computeEnvironment(names: readonly string[], values: Values): Record<string, string> {
  const child: Record<string, string> = {}
  const defaults: readonly string[] = isWindows() ? DEFAULT_VARIABLES.win32 : DEFAULT_VARIABLES.posix
  for (const name of defaults) {
    const value = lookUp(values.environment, name)
    // "()" begins an exported function of a shell: the SDK leaves it out too.
    if (value !== undefined && !value.startsWith("()")) child[name] = value
  }
  for (const [name, value] of Object.entries(values.environment))
    if (value !== undefined && (NETWORK_VARIABLES.has(name) || isNpmSetting(name))) child[name] = value
  for (const name of [...names, ...values.placeholders]) child[name] = variableValue(name, values)
  return child
}

function isNpmSetting(name: string): boolean {
  const setting = NPM_SETTING.exec(name)?.[1]
  return setting !== undefined && !NPM_SECRET.test(setting) && !NPM_COMMAND.test(setting)
}

const isWindows = () => process.platform === "win32"

/** On Windows names are the same without case, and `Path` is how PATH is usually written. */
function lookUp(environment: Values["environment"], name: string): string | undefined {
  if (Object.hasOwn(environment, name)) return environment[name]
  if (!isWindows()) return undefined
  const written = Object.keys(environment).find((key) => key.toUpperCase() === name.toUpperCase())
  return written === undefined ? undefined : environment[written]
}
