import { expect, test } from "vitest"
import { authErrorOf, authErrorOfStderr } from "../../src/adapters/auth-signs.js"

// As the servers print them.
test.each([
  {
    stderr: "Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables\n",
    reason: "missing: SLACK_BOT_TOKEN",
  },
  { stderr: "Error: BRAVE_API_KEY environment variable is required\n", reason: "missing: BRAVE_API_KEY" },
  { stderr: "GOOGLE_MAPS_API_KEY environment variable is not set\n", reason: "missing: GOOGLE_MAPS_API_KEY" },
  {
    stderr:
      'file:///srv/tavily/index.js:14\n    throw new Error("TAVILY_API_KEY environment variable is required");\n          ^\n\n' +
      "Error: TAVILY_API_KEY environment variable is required\n    at file:///srv/tavily/index.js:14:11\n\nNode.js v20.20.0\n",
    reason: "missing: TAVILY_API_KEY",
  },
  {
    stderr: "Error: Either FIRECRAWL_API_KEY or FIRECRAWL_API_URL must be provided\n",
    reason: "missing: FIRECRAWL_API_KEY",
  },
  {
    stderr: "Error: No access token was provided. Pass one with `--access-token` or via `SENTRY_ACCESS_TOKEN`.\n",
    reason: "missing: SENTRY_ACCESS_TOKEN",
  },
  {
    stderr:
      "Please provide a personal access token (PAT) with the --access-token flag or set the SUPABASE_ACCESS_TOKEN environment variable\n",
    reason: "missing: SUPABASE_ACCESS_TOKEN",
  },
  {
    stderr:
      "\u001b[31m🚨  Error initializing Stripe MCP server:\u001b[0m\n\nSTRIPE_SECRET_KEY environment variable not set and no --api-key\n",
    reason: "missing: STRIPE_SECRET_KEY",
  },
  {
    stderr: "Either FIGMA_API_KEY or FIGMA_OAUTH_TOKEN is required (via CLI argument or .env file)\n",
    reason: "missing: FIGMA_API_KEY",
  },
  {
    stderr: "OpenAIError: The OPENAI_API_KEY environment variable is missing or empty; either provide it\n",
    reason: "missing: OPENAI_API_KEY",
  },
  { stderr: "  File \"/srv/s.py\", line 3, in <module>\nKeyError: 'KAGI_API_KEY'\n", reason: "missing: KAGI_API_KEY" },
  { stderr: "GITHUB_PERSONAL_ACCESS_TOKEN not set\r\n", reason: "missing: GITHUB_PERSONAL_ACCESS_TOKEN" },
  { stderr: "Error: AWS_SECRET_ACCESS_KEY must be set\n", reason: "missing: AWS_SECRET_ACCESS_KEY" },
  { stderr: "error: no API key provided, use --api-key\n", reason: "refused" },
  { stderr: `${"A".repeat(127)}_KEY is not set: the API key is missing\n`, reason: "refused" },
  { stderr: "Could not load the default credentials: credentials are required\n", reason: "refused" },
  { stderr: "AxiosError: Request failed with status code 401\n", reason: "refused" },
  { stderr: "Startup failed: 401 Unauthorized\n", reason: "refused" },
  { stderr: "Error: Invalid API key ${SERVICE_KEY}\n", reason: "refused" },
])("asks for a credential: $stderr", ({ stderr, reason }) => {
  const error = authErrorOfStderr(stderr)
  expect(error).toMatchObject({ code: "SERVER_AUTH", message: reason })
  const wants = error?.evidence?.wants ?? ""
  expect(wants).not.toBe("")
  expect(stderr).toContain(wants)
})

test("the variable may be named in the next sentence, whose words are kept then", () => {
  const stderr =
    "Error: No access token was provided.\n" +
    "Run `sentry-mcp auth login` interactively first, or pass `--access-token` / `SENTRY_ACCESS_TOKEN`.\n" +
    "Usage: @sentry/mcp-server [--access-token=<token>]\n"
  expect(authErrorOfStderr(stderr)).toMatchObject({
    message: "missing: SENTRY_ACCESS_TOKEN",
    evidence: { wants: stderr.split("\n").slice(0, 2).join(" ") },
  })
})

test.each([
  { stderr: "" },
  { stderr: "Usage: mcp-server-filesystem <allowed-directory> [additional-directories...]\n" },
  { stderr: "Please provide a database URL as a command-line argument\n" },
  { stderr: "Error: connect ECONNREFUSED 127.0.0.1:6379\n" },
  { stderr: "Error: Cannot find module '/srv/token/index.js'\n" },
  { stderr: "SyntaxError: Unexpected token '??='\n" },
  { stderr: "SyntaxError: missing ) after argument list\n" },
  { stderr: "starting\ncannot open \u001b[31mthe database with ${TOKEN}\n" },
  { stderr: "TypeError: required key is missing\n" },
  { stderr: "ES_URL environment variable is required\n" },
  { stderr: "OAUTH_TOKEN_URL must be set\n" },
  { stderr: "warning: SENTRY_AUTH_TOKEN not set\nError: connect ECONNREFUSED\n" },
  { stderr: "TELEMETRY_API_KEY not set, telemetry disabled\nsegmentation fault\n" },
  { stderr: "No API key configured, running in demo mode\nError: listen EADDRINUSE\n" },
  { stderr: "access token not found, continuing anonymously\nsegmentation fault\n" },
  { stderr: "info: FOO_API_KEY not set, using defaults\nTypeError: x is not a function\n" },
  { stderr: "Error [ERR_REQUIRE_ESM]: require() of ES Module /srv/bearer-token/index.js not supported\n" },
  { stderr: "SyntaxError: Invalid token '<' at position 0\n" },
  { stderr: "npm error code E401\nnpm error Unable to authenticate, your authentication token is required\n" },
  {
    stderr:
      'if (!e.FOO_API_KEY) throw Error("FOO_API_KEY required"); boom()\n          ^\nReferenceError: boom is not here\n',
  },
  { stderr: `${"x;".repeat(300)}throw Error("FOO_API_KEY required")\nReferenceError: y\n` },
])("asks for none: $stderr", ({ stderr }) => {
  expect(authErrorOfStderr(stderr)).toBe(null)
})

test.each([
  { code: -32001, message: "Unauthorized", reason: "refused" },
  { code: -32001, message: "Forbidden", reason: "refused" },
  { code: 401, message: "no", reason: "refused" },
  { code: -32000, message: "Authorization header is required", reason: "refused" },
  { code: 403, message: "no", reason: "refused" },
  { code: -32603, message: "Authentication required. Run the login tool.", reason: "refused" },
  { code: -32000, message: "Invalid API key", reason: "refused" },
  { code: -32603, message: "LINEAR_API_KEY is not set", reason: "missing: LINEAR_API_KEY" },
  { code: null, message: "insufficient_scope: wants tools:read", reason: "insufficient_scope" },
  { code: -32001, message: "Forbidden", data: { error: "insufficient_scope" }, reason: "insufficient_scope" },
  { code: 403, message: "Forbidden", data: "insufficient_scope", reason: "insufficient_scope" },
])("error $code $message is $reason", ({ code, message, data = null, reason }) => {
  expect(authErrorOf({ code, message, data })).toMatchObject({
    code: "SERVER_AUTH",
    message: reason,
    evidence: { wants: message },
  })
})

test.each([
  { code: -32001, message: "Session not found" },
  { code: -32603, message: "fetch failed" },
  { code: -32603, message: "EACCES: permission denied, open '/x'" },
  { code: -32602, message: "Invalid params: cursor is required" },
  { code: -32601, message: "Method not found" },
  { code: -32001, message: "Method not allowed" },
  { code: -32001, message: "Request not allowed before initialization" },
  { code: -32602, message: "Invalid page token" },
  { code: -32602, message: "Invalid cursor: bad token" },
  { code: -32603, message: "expired next_token" },
  { code: -32000, message: "Bad Request: Mcp-Session-Id header is required" },
])("error $code $message is none", ({ code, message }) => {
  expect(authErrorOf({ code, message, data: null })).toBe(null)
})

test("what is kept of the words is bounded, and no words are none", () => {
  expect(authErrorOf({ code: 401, message: "", data: null })).toMatchObject({ message: "refused", evidence: undefined })
  const error = authErrorOf({ code: 401, message: "x".repeat(10_000), data: null })
  expect(error?.evidence?.wants).toHaveLength(300)
})
