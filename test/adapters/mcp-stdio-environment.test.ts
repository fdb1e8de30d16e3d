import { DEFAULT_INHERITED_ENV_VARS } from "@modelcontextprotocol/client/stdio"
import { expect, test } from "vitest"
import {
  computeEnvironment,
  DEFAULT_VARIABLES,
  PLACEHOLDER_TEXT,
  variableValue,
} from "../../src/adapters/mcp-stdio-environment.js"

const compute = (environment: Readonly<Record<string, string | undefined>>, names: readonly string[] = []) =>
  computeEnvironment(names, { environment, placeholders: [] })

test("the default set is the official SDK's", () => {
  const ours = process.platform === "win32" ? DEFAULT_VARIABLES.win32 : DEFAULT_VARIABLES.posix
  expect([...ours].sort()).toEqual([...DEFAULT_INHERITED_ENV_VARS].sort())
})

test.each([
  ...[
    "HOME",
    "PATH",
    "USER",
    "HTTPS_PROXY",
    "https_proxy",
    "HTTP_PROXY",
    "NO_PROXY",
    "no_proxy",
    "NODE_EXTRA_CA_CERTS",
  ],
  ...[
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "npm_config_registry",
    "NPM_CONFIG_REGISTRY",
    "npm_config_cache",
    "npm_config_cafile",
  ],
  ...["npm_config_userconfig", "npm_config_ignore_scripts", "npm_config_@scope:registry", "npm_config_strict_ssl"],
])("%s is passed on", (name) => {
  expect(compute({ [name]: "value" })).toEqual({ [name]: "value" })
})

test.each([
  ...["API_KEY", "NPM_TOKEN", "NODE_OPTIONS", "LANG", "LC_ALL", "CI", "GITHUB_TOKEN", "TOOLSUM_ROOT", "PWD"],
  ...["npm_config__auth", "npm_config__authToken", "npm_config_//host/:_authToken", "NPM_CONFIG_//HOST/:_AUTHTOKEN"],
  ...["npm_config__password", "npm_config_//host/:username", "npm_config_otp", "npm_config_key", "npm_config_cert"],
  ...["npm_config_//host/:keyfile", "npm_config_//host/:certfile", "npm_config_email", "npm_lifecycle_event"],
  ...["npm_config_package", "npm_config_call", "npm_config_global", "npm_config_local_prefix", "npm_config_workspace"],
])("%s is not passed on", (name) => {
  expect(compute({ [name]: "value" })).toEqual({})
  expect(compute({ [name]: "value" }, [name])).toEqual({ [name]: "value" })
})

test("an exported shell function is left out, as the SDK does", () => {
  expect(compute({ SHELL: "() { :; }", TERM: "dumb" })).toEqual({ TERM: "dumb" })
})

test("a placeholder stands in, even for a variable that is set", () => {
  const values = { environment: { A: "real" }, placeholders: ["A", "B"] }
  expect(computeEnvironment(["A"], values)).toEqual({ A: PLACEHOLDER_TEXT, B: PLACEHOLDER_TEXT })
})

test.each([
  { name: "absent", environment: {} },
  { name: "undefined", environment: { KEY: undefined } },
  { name: "empty", environment: { KEY: "" } },
  { name: "inherited only", environment: {}, variable: "toString" },
])("a variable that is $name is missing", ({ environment, variable = "KEY" }) => {
  const missing = expect.objectContaining({ code: "SERVER_AUTH", message: `missing: ${variable}` })
  expect(() => variableValue(variable, { environment, placeholders: [] })).toThrow(missing)
})
