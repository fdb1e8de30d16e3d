// CONTRIBUTING.md justifies each runtime dependency, and no other.
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8")

test("every runtime dependency has its line", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> }
  const [, rows = ""] = read("CONTRIBUTING.md").split("| runtime dependency | why |\n| --- | --- |\n")
  const named = [...rows.matchAll(/^\| `([^`]+)` \| .+ \|$/gm)].map(([, name]) => name)
  expect(named.sort()).toEqual(Object.keys(dependencies).sort())
})
