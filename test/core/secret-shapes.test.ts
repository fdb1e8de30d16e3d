import { expect, test } from "vitest"
import { findSecretShape, findSecretWord } from "../../src/core/secret-shapes.js"

// Put together here, so that no text in this repository has the shape of a key.
const fill = (prefix: string, length: number): string => prefix + "aB3dE5gH7jK9".repeat(10).slice(0, length)

const SECRETS: readonly (readonly [string, string])[] = [
  [fill("ghp_", 36), "a GitHub token"],
  [fill("gho_", 36), "a GitHub token"],
  [fill("github_pat_", 60), "a GitHub token"],
  [fill("glpat-", 20), "a GitLab token"],
  [fill("xoxb-", 24), "a Slack token"],
  [fill("xapp-", 24), "a Slack token"],
  [`https://hooks.${"slack"}.com/services/T0/B0/x`, "a Slack webhook"],
  [`${"AK"}IA${"ABCDEFGH".repeat(2)}`, "an AWS access key"],
  [fill("AIza", 35), "a Google API key"],
  [fill("ya29.", 30), "a Google OAuth token"],
  [fill("npm_", 36), "an npm token"],
  [fill("pypi-AgE", 30), "a PyPI token"],
  [fill("sk_live_", 24), "a Stripe key"],
  [fill("sk-", 48), "an API key of the form sk-…"],
  [fill("sk-ant-api03-", 80), "an API key of the form sk-…"],
  [fill("sk-proj-", 60), "an API key of the form sk-…"],
  [fill("hf_", 34), "a Hugging Face token"],
  [`-----BEGIN ${"PRIVATE"} KEY-----\nMC4C`, "a private key"],
  [`-----BEGIN OPENSSH ${"PRIVATE"} KEY-----`, "a private key"],
  [`${fill("eyJ", 20)}.${fill("eyJ", 20)}.${fill("", 20)}`, "a JSON web token"],
  ["postgres://me:pass@db.example.com/x", "a password in a URL"],
  ["https://me:pa@ss@example.com/", "a password in a URL"],
  ["redis://:pass@h:1", "a password in a URL"],
  ["postgres://me:${A}b@db.example.com/x", "a password in a URL"],
  ["https://x-access-token@e.example/", "user info in a URL"],
  ["https://e.example/?a=1&token=abc", "a value of parameter token"],
  ["https://e.example/?api_key=abc", "a value of parameter api_key"],
  ["https://e.example/?apiKey=abc", "a value of parameter apiKey"],
  ["https://e.example/#access_token=abc", "a value of parameter access_token"],
  ["https://e.example/?client_secret=a${B}", "a value of parameter client_secret"],
  ["--password=abc", "a value of parameter password"],
  ["--api-key=abc", "a value of parameter api-key"],
  ["API_KEY=abc", "a value of parameter API_KEY"],
  ["Authorization: Bearer abc", "a value of header Authorization"],
  ["authorization:abc", "a value of header authorization"],
  ["Proxy-Authorization: Basic YTpi", "a value of header Proxy-Authorization"],
  ["X-Api-Key: abc", "a value of header X-Api-Key"],
  ["Cookie: session=abc", "a value of header Cookie"],
  ["--header=X-Api-Key: abc", "a value of header X-Api-Key"],
  ["-H=Authorization:abc", "a value of header Authorization"],
]

test.each(SECRETS)("%s", (text, shape) => {
  expect(findSecretShape(text)).toBe(shape)
  expect(findSecretShape(`Bearer ${text}`)?.includes("aB3dE5gH7jK9")).not.toBe(true)
})

test.each(SECRETS.slice(0, 20))("%s inside a longer text", (text, shape) => {
  expect(findSecretShape(`Authorization: Bearer ${text}`)).toBe(shape)
  expect(findSecretShape(`--x=${text},y`)).toBe(shape)
})

test.each([
  "",
  "-y",
  "@modelcontextprotocol/server-memory@2026.1.26",
  "Bearer ${TOKEN}",
  "--token=${TOKEN}",
  "https://e.example/?token=${TOKEN}&x=1",
  "https://e.example/?token=",
  "https://${USER}:${PASS}@e.example/",
  "postgres://${USER}:${PASS}@db.example.com/x",
  "ssh://git@e.example/x.git",
  "git@github.com:acme/x.git",
  "https://e.example/a:b@c",
  "--keyboard=de",
  "--key-file=${HOME}/k",
  "?monkey=1",
  "--tokenizer=bpe",
  "sk-learn-is-a-nice-library-for-you",
  "task-20261130-abcdefghijklmnop",
  "sha256:b7a0b54bc0e463bc2650559ae227fd5fd02a96d6312565463a453e410da210d5",
  "registry.example.com/team/srv@sha256:8032fb5e05b67944d03051624b7a9e7532f8078125722d055dd7042290dd3fd8",
  "ghp_short",
  "AKIA",
  "npm_config_registry",
  "eyJhbGciOiJub25lIn0",
  "-----BEGIN CERTIFICATE-----",
  "type=bind,src=/data,dst=/data",
  "Authorization: Bearer ${TOKEN}",
  "a bearer of news",
  "Authorization:${AUTH_HEADER}",
  "X-Api-Key: ${KEY}",
  "X-Request-Id: abc",
  "Accept: application/json",
  "Authorization:",
  "C:\\key",
])("%s is no known shape", (text) => expect(findSecretShape(text)).toBeNull())

test.each([
  { line: "server --api-key abc", index: 2, shape: "a value of option --api-key" },
  { line: "--token abc", index: 1, shape: "a value of option --token" },
  { line: "--password abc", index: 1, shape: "a value of option --password" },
  { line: "-password abc", index: 1, shape: "a value of option -password" },
  { line: "--ACCESS_TOKEN a${B}", index: 1, shape: "a value of option --ACCESS_TOKEN" },
  { line: "--db.secret x --token y", index: 1, shape: "a value of option --db.secret" },
  { line: "-H X-Auth-Token:abc", index: 1, shape: "a value of header X-Auth-Token" },
  { line: "-e API_KEY=abc", index: 1, shape: "a value of parameter API_KEY" },
])("in a launch line: $line", ({ line, index, shape }) => {
  expect(findSecretWord(line.split(" "))).toEqual({ index, shape })
})

test.each([
  { words: ["-H", "Bearer abc"], index: 1, shape: "a bearer token" },
  { words: ["sh", "-c", "npx server --token abc"], index: 2, shape: "a value of option --token" },
  { words: ["bash", "-lc", "export X=1; API_KEY=abc npx server"], index: 2, shape: "a value of parameter API_KEY" },
  { words: ["cmd", "/c", 'server --password "abc"'], index: 2, shape: "a value of option --password" },
  { words: ["docker run -e API_KEY=abc image"], index: 0, shape: "a value of parameter API_KEY" },
  { words: ["sh", "-c", 'curl -H "X-Api-Key:abc"'], index: 2, shape: "a value of header X-Api-Key" },
])("in a command line within a word: $words", ({ words, index, shape }) => {
  expect(findSecretWord(words)).toEqual({ index, shape })
})

test.each([
  [["sh", "-c", "npx server --token $TOKEN --token ${TOKEN} --token $(cat a) --token `cat a` --key ./server.pem"]],
  [["server", "--about", "use the --token option"]],
  [["-c"]],
])("no credential within a word: %s", (words) => expect(findSecretWord(words)).toBeNull())

test("in a launch line: a header of several words", () => {
  expect(findSecretWord(["-H", "Authorization: Bearer abc"])).toEqual({
    index: 1,
    shape: "a value of header Authorization",
  })
  expect(findSecretWord(["--token", "Bearer abc"])).toEqual({ index: 1, shape: "a value of option --token" })
  expect(findSecretWord(["--token", "Bearer ${TOKEN}"])).toBeNull()
})

test.each([
  "",
  "--token",
  "--token ${TOKEN}",
  "--token -y",
  "--no-auth folder",
  "--enable-token folder",
  "--auth none",
  "--key ./server.pem",
  "--key /etc/server.pem",
  "--key C:\\server.pem",
  "--credentials ~/.credentials",
  "--tokenizer bpe",
  "--keyboard de",
  "--max-tokens-per-call 5",
  "--max-tokens 500",
  "token abc",
  "npx -y some-server@1.0.0 folder",
])("no secret in a launch line: %s", (line) => expect(findSecretWord(line.split(" "))).toBeNull())

test("a long text takes no long time", () => {
  const started = performance.now()
  for (const unit of ["a", "://", "a=", "sk-", "a:@", "token", "eyJ-", "?a", "-", "x-", "a: "]) {
    const long = unit.repeat(50_000)
    findSecretShape(long)
    findSecretWord([`--${long}`, long])
  }
  expect(performance.now() - started).toBeLessThan(3000)
})
