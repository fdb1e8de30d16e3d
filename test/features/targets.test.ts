import { describe, expect, test } from "vitest"
import type { Target } from "../../src/core/target.js"
import { computeTargetDigest } from "../../src/core/target.js"
import { buildCommandTarget, computeConsentDigest } from "../../src/features/targets.js"

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
