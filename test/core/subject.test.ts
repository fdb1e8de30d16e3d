import { describe, expect, test } from "vitest"
import { canonicalize } from "../../src/core/canonical.js"
import { type JsonValue, parseJson } from "../../src/core/json.js"
import { computeHow, deriveSubject, isRegistryId, subjectFor } from "../../src/core/subject.js"
import { type CommandTarget, parseTarget } from "../../src/core/target.js"
import { describeShared, readShared } from "../shared.js"

interface SubjectCase {
  desc: string
  target: JsonValue
  /** `local` where the target has no subject of its own. */
  subject: string
  version: string | null
  floating: boolean
  argsAfter: string[]
  query: string | null
  how: string
  howDigest: string
}

describeShared("subject vectors", () => {
  const { cases } = JSON.parse(readShared("vectors/toolsum/subjects.json")) as { cases: SubjectCase[] }
  test.each(cases)("$desc", (c) => {
    const target = parseTarget(parseJson(JSON.stringify(c.target)))
    const { packageName: _, ...derived } = deriveSubject(target)
    const { version, floating, argsAfter, query } = c
    const subject = c.subject === "local" ? null : c.subject
    expect(derived).toEqual({ subject, version, floating, argsAfter, query })
    expect(computeHow(target, { sections: ["tools", "prompts", "templates"] })).toEqual({
      text: c.how,
      digest: c.howDigest,
    })
  })
})

/** A command line of words without spaces. */
const command = (line: string, env: readonly string[] = []): CommandTarget => {
  const [first = "", ...args] = line.split(" ")
  return { command: first, args, env }
}

describe("deriveSubject of a command", () => {
  test.each([
    // npm reads its options wherever they stand, so one behind the package may choose other code
    "npm exec good --package=other",
    "npm exec good --registry https://other.example.com",
    "npm x -y good@1.0.0 --flag",
    // options that choose code or configuration
    "npx --prefix other good",
    "npx --userconfig other good",
    "npx --pack=other good",
    "npx -p=other good",
    "npx --yes=true good",
    "npx --registry",
    "npx --registry= good",
    "npx --registry --yes good",
    "npx --registry https://a.example.com --registry https://b.example.com good",
    "npx --registry https://user:pass@a.example.com good",
    "npx --registry https://a.example.com?x=1 good",
    "npx --registry https://${HOST} good",
    "npx -p good",
    "npx -",
    "npx ${NAME}",
    "npx good@${VERSION}",
    "npx good.tgz",
    "npx .good",
    "npx good@..",
    "npx good#1",
    "pnpm --dir other dlx good",
    "uvx --index https://a.example.com good",
    "uvx --extra-index-url https://a.example.com good",
    "uvx --from a --from b bin",
    "uvx --from good",
    "uvx good;python_version>'3'",
    "uvx script.py",
    "uvx good-1.0.whl",
    "uvx --python",
    "pipx run --path good",
    "docker run --entrypoint sh good",
    "docker run -eKEY good",
    "docker run --rm=false good",
    "docker run a//b",
    "docker run good:",
    "docker run https://a.example.com/good",
    "docker run good@sha512:00",
    "cmd /d /c npx good",
    "cmd npx good",
    "cmd",
    "npx.CMD good",
    "npx.cmd.exe good",
  ])("%s is local", (line) => {
    const target = command(line)
    expect(deriveSubject(target)).toEqual({
      subject: null,
      version: null,
      floating: false,
      argsAfter: [target.command, ...target.args],
      query: null,
      packageName: null,
    })
    expect(subjectFor(target, "mine")).toBe("local:mine")
  })

  test.each([
    ["npx good", ["NPM_CONFIG_REGISTRY"]],
    ["npx good", ["npm_config_registry"]],
    ["npx good", ["npm_config_cache"]],
    ["bunx good", ["BUN_CONFIG_REGISTRY"]],
    ["uvx good", ["UV_DEFAULT_INDEX"]],
    ["pipx run good", ["PIP_INDEX_URL"]],
  ])("%s with %s in env is local", (line, env) => {
    expect(deriveSubject(command(line, env)).subject).toBeNull()
    expect(deriveSubject(command(line, ["TOKEN"])).subject).not.toBeNull()
  })

  test.each([
    ["npx -p good@1.0.0 -- bin a", "pkg:npm/good", "1.0.0", ["bin", "a"], "good"],
    ["npx good@1.0.0-rc.1.x-y", "pkg:npm/good", "1.0.0-rc.1.x-y", [], "good"],
    ["npx good@1.0.0-01", "pkg:npm/good", null, [], "good"],
    ["npx good@1.0.0+build", "pkg:npm/good", null, [], "good"],
    ["npx good@=1.0.0", "pkg:npm/good", null, [], "good"],
    ["npx @Acme/Good~x", "pkg:npm/%40Acme/Good~x", null, [], "@Acme/Good~x"],
    ["npm exec good -- --package=other", "pkg:npm/good", null, ["--", "--package=other"], "good"],
    ["npm.cmd x good", "pkg:npm/good", null, [], "good"],
    ["pnpm dlx --reporter silent good --flag", "pkg:npm/good", null, ["--flag"], "good"],
    ["uvx Good.Name[a,b]==1!2.0.post1.dev2+local", "pkg:pypi/good-name", "1!2.0.post1.dev2+local", [], "good-name"],
    ["uvx good==1.*", "pkg:pypi/good", null, [], "good"],
    ["uvx good==1.0,<2", "pkg:pypi/good", null, [], "good"],
    ["uvx good===1.0", "pkg:pypi/good", null, [], "good"],
    ["uvx -- good x", "pkg:pypi/good", null, ["x"], "good"],
    ["docker run docker.io/alpine", "pkg:oci/alpine?repository_url=library/alpine", null, [], "library/alpine"],
    ["docker run index.docker.io/a/b:1", "pkg:oci/b?repository_url=a/b", null, [], "a/b"],
    ["docker.exe run --env A --rm -it a/b__c", "pkg:oci/b__c?repository_url=a/b__c", null, [], "a/b__c"],
    ["docker run localhost:5000", "pkg:oci/localhost?repository_url=library/localhost", null, [], "library/localhost"],
  ])("%s", (line, subject, version, argsAfter, packageName) => {
    const floating = version === null
    expect(deriveSubject(command(line))).toEqual({ subject, version, floating, argsAfter, query: null, packageName })
  })

  test("a subject that no record could hold makes the target local", () => {
    expect(deriveSubject(command(`npx ${"a".repeat(1016)}`)).subject).toHaveLength(1024)
    expect(deriveSubject(command(`npx ${"a".repeat(1017)}`)).subject).toBeNull()
  })

  test("a long word is refused without work", () => {
    expect(deriveSubject(command(`docker run ${"a".repeat(4_000_000)}`)).subject).toBeNull()
  })
})

describe("computeHow", () => {
  const how = (target: Parameters<typeof computeHow>[0], read = {}) =>
    computeHow(target, { sections: ["tools"], ...read }).text

  test("options before the package and cwd are not in it", () => {
    const target = { ...command("npx -y good a", ["B", "A"]), cwd: "x" }
    expect(how(target)).toBe(how(command("npx --silent good a", ["A", "B"])))
  })

  test("headers are lower case and sorted, values are not in it", () => {
    const url = { url: "https://e.example/?a=${A}#x", headers: { "X-B": "1", Authorization: "${T}" } }
    expect(how(url)).toBe(
      canonicalize({
        args: [],
        capabilities: {},
        client: "toolsum",
        env: [],
        headers: ["authorization", "x-b"],
        language: "en",
        query: "a=${A}",
        sections: ["tools"],
      }),
    )
  })

  test("conditions that are not the default, sections in any order", () => {
    const read = { sections: ["tools", "resources"], client: "c", language: "de", capabilities: { roots: {} } }
    const same = { ...read, sections: ["resources", "tools", "tools"] }
    expect(how(command("node"), read)).toBe(how(command("node"), same))
    expect(how(command("node"), read)).toContain('"capabilities":{"roots":{}},"client":"c"')
  })
})

test("registry ids", () => {
  expect(["io.example/weather", "com.example.a-b/x_y.z"].every(isRegistryId)).toBe(true)
  expect(["example/weather", "io.example", "io.example/a/b", "https://e.example/", "io..x/y"].some(isRegistryId)).toBe(
    false,
  )
})
