import { expect, test } from "vitest"
import { hideSecrets } from "../../src/features/hide-secrets.js"

const GITHUB = `ghp_${"a".repeat(36)}`
const ENV = {
  API_KEY: "hunter2-hunter2",
  HOME: "/home/somebody",
  PWD: "/home/somebody/project",
  MODE: "production-like",
}
const command = (...words: readonly string[]) => {
  const [first = "", ...args] = words
  const hidden = hideSecrets({ command: first, args, env: ["API_KEY"] }, ENV)
  return "command" in hidden ? [hidden.command, ...hidden.args].join(" ") : ""
}
const url = (text: string) => {
  const hidden = hideSecrets({ url: text, headers: {} }, ENV)
  return "url" in hidden ? hidden.url : ""
}

test("words of a command", () => {
  expect(command("npx", "-y", "@acme/notes@1.2.3", "/home/somebody")).toBe("npx -y @acme/notes@1.2.3 /home/somebody")
  expect(command("node", "server.mjs", "--token", "abc", GITHUB, "--token=abc", "--password", "${PASSWORD}")).toBe(
    "node server.mjs --token ${…} ${…} ${…} --password ${PASSWORD}",
  )
  expect(command("node", "server.mjs", ENV.API_KEY, ENV.PWD)).toBe("node server.mjs ${…} /home/somebody/project")
})

test("a URL", () => {
  expect(url("https://example.com/mcp")).toBe("https://example.com/mcp")
  expect(url("https://user:pass@example.com/mcp?key=abc#x")).toBe("https://example.com/mcp?…")
  expect(url(`https://example.com/${GITHUB}/mcp`)).toBe("https://example.com/${…}")
  expect(url(`https://example.com/u/${ENV.API_KEY}`)).toBe("https://example.com/${…}")
  expect(url("nonsense")).toBe("")
})
