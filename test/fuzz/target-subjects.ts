// Readers of templates, launch lines, package names and URLs, with well-formed ones.
import fc from "fast-check"
import { parseJson } from "../../src/core/json.js"
import { parsePackageSpec } from "../../src/core/package-spec.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { computeHow, deriveSubject } from "../../src/core/subject.js"
import { computeUrlSubject } from "../../src/core/subject-url.js"
import { parseTarget } from "../../src/core/target.js"
import { parseTemplate } from "../../src/core/template.js"
import { exactText, type Fuzzed, fuzzed, type Input, textOf } from "./subject.js"

const pretty = (value: Parameters<typeof formatPrettyJson>[0]): string => formatPrettyJson(value)
const json = (input: Input) => parseJson(input)
const arbText = fc.string({ unit: "grapheme", maxLength: 30 })

const arbLaunch = fc.record({
  command: fc.constantFrom("npx", "npm", "pnpm", "bunx", "uvx", "uv", "pipx", "docker", "podman", "cmd", "C:\\npx.cmd"),
  args: fc.array(
    fc.oneof(
      fc.constantFrom(
        "-y",
        "exec",
        "x",
        "dlx",
        "run",
        "tool",
        "--package",
        "--from",
        "--spec",
        "--",
        "/c",
        "-p=a",
        "-e",
        "--rm",
        "-i",
        "@a/b@1.2.3",
        "a==1.0",
        "ghcr.io/a/b@sha256:0",
        "a[x]@1",
      ),
      arbText,
    ),
    { maxLength: 6 },
  ),
})

/** All of them. */
export const TARGETS: readonly Fuzzed[] = [
  exactText({
    name: "template",
    valid: fc
      .array(fc.oneof(fc.constantFrom("$$", "${A}", "${a_1}"), arbText), { maxLength: 4 })
      .map((parts) => parts.join("")),
    parse: parseTemplate,
    format: (parts) =>
      parts.map((part) => ("name" in part ? `\${${part.name}}` : part.text.replaceAll("$", "$$$$"))).join(""),
  }),
  fuzzed({
    name: "subject of a target",
    valid: arbLaunch.map(({ command, args }) => pretty({ command, args, env: [] })),
    parse: (x) => {
      const target = parseTarget(json(x))
      return [deriveSubject(target), computeHow(target, { sections: ["tools"] })]
    },
  }),
  fuzzed({
    name: "subject of a URL",
    valid: fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.constantFrom("https://[::1]:443/a/../%2e/%C3", "https://EXAMPLE.com:443", "https://127.0.0.1/x"),
    ),
    parse: (x) => computeUrlSubject(textOf(x)),
    holds: (subject) => {
      if (subject !== null && computeUrlSubject(subject) !== subject) throw new Error(`no normal form: ${subject}`)
    },
  }),
  ...(["npm", "pypi", "oci"] as const).map((ecosystem) =>
    fuzzed({
      name: `${ecosystem} spec`,
      valid: fc.constantFrom("@a/b@1.2.3-rc.1", "a==1.0.post1", "ghcr.io/a/b:1@sha256:00", "a@latest", "a[b,c]"),
      parse: (x) => parsePackageSpec(ecosystem, textOf(x)),
    }),
  ),
]
