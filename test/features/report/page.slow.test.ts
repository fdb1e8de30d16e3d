// The page in a real browser, opened from disk: it shows what it should, its policy is never violated, and nothing is fetched.
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { renderHtml } from "../../../src/features/report/html.js"
import { wholeReport } from "./hostile.js"
import { sampleReport } from "./world.js"

const hasChromium = (): boolean => spawnSync("chromium", ["--version"]).status === 0

/** In CI on Debian a missing browser is installed, and must then be there; elsewhere the tests say that they were skipped. */
const isCi = process.env.CI === "true" && process.getuid?.() === 0

function installChromium(): void {
  for (const args of [["update"], ["install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"]]) {
    const { status, stderr } = spawnSync("apt-get", args, { encoding: "utf8" })
    if (status !== 0) throw new Error(`apt-get ${args[0]} ended with ${status}: ${stderr}`)
  }
}

if (isCi && !hasChromium()) installChromium()

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--enable-logging=stderr",
  "--v=0",
]

describe.skipIf(!isCi && !hasChromium())("in Chromium", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "toolsum-page-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const open = (page: string, ...flags: string[]): { dom: string; log: string } => {
    const file = join(folder, "page.html")
    writeFileSync(file, page)
    const { stdout, stderr } = spawnSync(
      "chromium",
      [...FLAGS, `--user-data-dir=${folder}/profile`, ...flags, pathToFileURL(file).href],
      {
        encoding: "utf8",
        timeout: 120_000,
      },
    )
    return { dom: stdout, log: stderr }
  }

  test.each([
    { name: "a sample", report: sampleReport },
    { name: "hostile texts", report: wholeReport },
  ])("shows $name, and breaks no rule of its policy", ({ report }) => {
    const { dom, log } = open(renderHtml(report()), "--dump-dom")
    expect(dom).toContain('<main id="main">')
    expect(dom.match(/<section class="server"/g)).toHaveLength(report().servers.length)
    expect(log).not.toMatch(/CONSOLE|Content Security Policy/)
  })

  test("the check sees a violation where there is one", () => {
    const page = renderHtml(sampleReport()).replace("</main>", '<img src="https://example.invalid/x.png"></main>')
    expect(open(page, "--dump-dom").log).toMatch(/Content Security Policy/)
  })

  test.each(["1200,2000", "420,2000"])("is drawn at %s", (size) => {
    const image = join(folder, "page.png")
    open(renderHtml(sampleReport()), `--screenshot=${image}`, `--window-size=${size}`)
    expect(statSync(image).size).toBeGreaterThan(20_000)
  })
})
