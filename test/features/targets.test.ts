import { describe, expect, test } from "vitest"
import type { Target } from "../../src/core/target.js"
import { computeTargetDigest } from "../../src/core/target.js"
import { buildCommandTarget, buildUrlTarget, computeConsentDigest } from "../../src/features/targets.js"

const build = (launch: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  buildCommandTarget({ launch, env: ["B", "A", "B"], cwd: null, environment })

describe("a launch line as a target", () => {
  test("words stay as typed, names of variables are sorted and once each", () => {
    expect(build(["npx", "-y", "x@1.0.0", "--", ""])).toEqual({
      command: "npx",
      args: ["-y", "x@1.0.0", "--", ""],
      env: ["A", "B"],
    })
    expect(buildCommandTarget({ launch: ["x"], env: [], cwd: "sub", environment: {} })).toEqual({
      command: "x",
      args: [],
      env: [],
      cwd: "sub",
    })
  })

  test.each([
    { name: "a token", arg: `ghp_${"a".repeat(36)}` },
    { name: "a parameter that says secret", arg: "--token=abc" },
    { name: "user info", arg: "https://user:pass@example.com" },
    { name: "the value of a variable", arg: "value-of-a-variable" },
    { name: "a header", arg: "Authorization: Bearer abc" },
  ])("$name is refused without being repeated", ({ arg }) => {
    const attempt = () => build(["node", arg], { MY_NAME: "value-of-a-variable" })
    expect(attempt).toThrow(expect.objectContaining({ code: "USAGE", message: expect.not.stringContaining(arg) }))
  })

  test("the second of two words is refused too, and counted", () => {
    const attempt = () => build(["server", "--verbose", "--api-key", "abc"])
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "USAGE",
        message: expect.stringMatching(/^argument 3 looks like a value of option --api-key: /),
      }),
    )
    const value = "the-npm-token-value"
    expect(() => build(["server", value], { npm_config_auth_token: value })).toThrow(/value of "npm_config_auth_token"/)
  })

  test.each([
    { name: "a template", args: ["--token=${TOKEN}", "$$5"], environment: { TOKEN: "${TOKEN}-like" } },
    { name: "a word that a variable has too", args: ["true"], environment: { DEBUG: "true" } },
    {
      name: "the folder that npx runs us in",
      args: ["/srv/notes"],
      environment: { npm_config_local_prefix: "/srv/notes" },
    },
    { name: "what npm says of a script", args: ["notes-server"], environment: { npm_package_name: "notes-server" } },
    { name: "a folder that some variable names", args: ["/srv/notes-data"], environment: { DATA: "/srv/notes-data" } },
    { name: "a folder of Windows", args: ["C:\\notes-data"], environment: { DATA: "C:\\notes-data" } },
    { name: "the home folder", args: ["/home/somebody"], environment: { HOME: "/home/somebody" } },
  ])("$name is fine", ({ args, environment }) => {
    expect(build(["node", ...args], environment)).toMatchObject({ args })
  })

  test.each(["${", "${1A}", "$x"])("%s is no template", (arg) => {
    expect(() => build(["node", arg])).toThrow(expect.objectContaining({ code: "TARGET_MALFORMED" }))
  })
})

describe("a URL as a target", () => {
  const URL = "https://mcp.example.com/mcp"
  const buildUrl = (url: string, headers: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
    buildUrlTarget({ url, headers, environment })

  test("headers keep their spelling, values are templates", () => {
    expect(buildUrl(`${URL}?set=${"${SET}"}`, ["Authorization: Bearer ${TOKEN}", "x-team:${TEAM} "])).toEqual({
      url: `${URL}?set=${"${SET}"}`,
      headers: { Authorization: "Bearer ${TOKEN}", "x-team": "${TEAM}" },
    })
  })

  test.each([URL, "https://example.com", "http://localhost:3000/mcp", "http://127.0.0.1:1/", "http://[::1]:8080/mcp"])(
    "%s is fine",
    (url) => {
      expect(buildUrl(url)).toEqual({ url, headers: {} })
    },
  )

  test.each([
    { name: "plain http to another host", url: "http://mcp.example.com/" },
    { name: "http to a name that only begins like this machine", url: "http://localhost.example.com/" },
    { name: "http to a name that begins with its address", url: "http://127.0.0.1.example.com/" },
    { name: "user info", url: "https://ada:hunter2hunter2@example.com/" },
    { name: "user info of a variable", url: "https://${TOKEN}@example.com/" },
    { name: "a fragment", url: `${URL}#top` },
    { name: "a variable in the host", url: "https://${HOST}/mcp" },
    { name: "a variable in the path", url: "https://example.com/${TOKEN}/mcp" },
    { name: "a parameter that says secret", url: `${URL}?api_key=hunter2hunter2` },
    { name: "a token in the path", url: `https://example.com/ghp_${"a".repeat(36)}/mcp` },
    { name: "the value of a variable in the query", url: `${URL}?team=hunter2hunter2` },
    { name: "the value of a variable in the path", url: "https://example.com/hunter2hunter2/mcp" },
  ])("$name is refused without a secret in the message", ({ url }) => {
    const attempt = () => buildUrl(url, [], { MINE: "hunter2hunter2" })
    expect(attempt).toThrow(expect.objectContaining({ code: "USAGE", message: expect.not.stringContaining("hunter2") }))
  })

  test.each([
    { name: "a value instead of a variable", line: "Authorization: Bearer hunter2hunter2" },
    { name: "no colon", line: "Authorization hunter2hunter2" },
    { name: "a name that is none", line: "Autho rization: ${TOKEN}" },
    { name: "a token beside the variable", line: `X-Key: \${TOKEN}ghp_${"hunter2".repeat(6)}` },
    { name: "what is no template", line: "Authorization: Bearer hunter2$hunter2${TOKEN}" },
    { name: "a header of the protocol", line: "MCP-Protocol-Version: ${VERSION}" },
    { name: "another line", line: "X-A: ${A}\r\nX-B: ${B}" },
  ])("a header with $name is refused without being repeated", ({ line }) => {
    expect(() => buildUrl(URL, [line])).toThrow(
      expect.objectContaining({ kind: expect.any(String), message: expect.not.stringContaining("hunter2") }),
    )
  })

  test("one header twice, whatever its case", () => {
    expect(() => buildUrl(URL, ["X-A: ${A}", "x-a: ${B}"])).toThrow(
      expect.objectContaining({ code: "TARGET_MALFORMED" }),
    )
    expect(() => buildUrl(URL, ["X-A: ${A}", "X-A: ${B}"])).toThrow(expect.objectContaining({ code: "USAGE" }))
  })
})

describe("consent", () => {
  const command = (command: string, args: readonly string[] = [], cwd?: string): Target => ({
    command,
    args,
    env: [],
    ...(cwd === undefined ? {} : { cwd }),
  })

  test("a URL is the same everywhere: the consent is the target's digest", () => {
    const target: Target = { url: "https://mcp.example.com/", headers: { Authorization: "Bearer ${TOKEN}" } }
    for (const folder of ["/a", "/b"]) expect(computeConsentDigest(target, folder)).toBe(computeTargetDigest(target))
  })

  test.each([
    { name: "a package at a version, which node_modules may have", target: command("npx", ["-y", "x@1.0.0"]) },
    { name: "an image", target: command("docker", ["run", "-i", "registry.example.com/x/y:1"]) },
    { name: "a relative command", target: command("./server") },
    { name: "a relative command of Windows", target: command("bin\\server.exe") },
    { name: "a relative folder", target: command("npx", ["-y", "x@1.0.0"], "sub") },
    { name: "an absolute folder", target: command("node", ["server.mjs"], "/srv/notes") },
    { name: "a command of the path", target: command("notes-server") },
    { name: "an absolute command", target: command("/usr/bin/notes-server") },
    { name: "an interpreter with a file", target: command("node", ["server.mjs"]) },
    { name: "an absolute interpreter with a module", target: command("/usr/bin/python3", ["-m", "server"]) },
  ])("$name is another server in another folder", ({ target }) => {
    const [a, b] = ["/a", "/b"].map((folder) => computeConsentDigest(target, folder))
    expect(a).not.toBe(b)
    expect([a, b]).not.toContain(computeTargetDigest(target))
    expect(computeConsentDigest(target, "/a")).toBe(a)
  })

  test("other words, variables and folders are other targets", () => {
    const base: Target = { command: "npx", args: ["x@1.0.0"], env: ["A"] }
    const others: readonly Target[] = [
      { ...base, args: ["x@1.0.1"] },
      { ...base, env: ["B"] },
      { ...base, env: [] },
      { ...base, cwd: "/srv" },
      { ...base, command: "npx.cmd" },
    ]
    const digests = [base, ...others].map((target) => computeConsentDigest(target, "/a"))
    expect(new Set(digests).size).toBe(digests.length)
  })
})
