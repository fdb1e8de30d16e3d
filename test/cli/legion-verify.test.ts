// `verify` of what LEGION's tools wrote: their lockfile, their evidence, and signed heads with anchors. Exit codes, the report, roots and
// where they come from; nothing of theirs is ever written to.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import type { JsonObject } from "../../src/core/json.js"
import { formatLegionEvidence, parseLegionEvidence } from "../../src/core/legion/evidence.js"
import { legionCases } from "../core/legion/vectors.js"
import { type CliWorld, makeCliWorld, snapshot } from "../fakes/cli-world.js"
import { commitAll } from "../fakes/git.js"
import { formatPinnedLeaves, LEGION_ORIGIN, makeServersLog } from "../fakes/legion-lockfile.js"
import { makeLegionLog, ROOT, toolOf } from "../fakes/legion-log.js"
import { validateReport } from "../fakes/report-schema.js"
import { describeShared, readShared } from "../shared.js"

const LOCK = ".mcp-tools.lock.json"
const SERVERS = ["io.example/files", "io.example/notes"]
const log = makeServersLog(SERVERS)
let world: CliWorld

beforeEach(async () => {
  world = await makeCliWorld()
})

const rootOption = ["--root", ROOT.pin]

describe("a LEGION lockfile", () => {
  const good = formatPinnedLeaves(log, [0, 1])

  test("is proven where it is, and what it does not cover is said once", async () => {
    await world.write(LOCK, good)
    const before = snapshot(world.folder)
    const { stdout } = await world.expect(0, "verify", LOCK, ...rootOption)
    expect(stdout).toBe(`io.example/files  PROVEN     io.example/files, 2 tools
io.example/notes  PROVEN     io.example/notes, 2 tools
covered: description, inputSchema, name of tools; not covered: tools.title, tools.annotations, tools.outputSchema, tools.icons, tools.execution, tools._meta, prompts, templates, resources, instructions, server
2 servers: 2 PROVEN
`)
    const { document } = await world.json("verify", "--lock", LOCK, ...rootOption)
    validateReport(document)
    expect(document).toMatchObject({
      roots: [{ log: LEGION_ORIGIN, fingerprint: ROOT.pin, source: "flag" }],
      counts: { PROVEN: 2 },
      servers: [
        { name: "io.example/files", head: { size: "2" }, record: { index: "0" } },
        { name: "io.example/notes", record: { index: "1" } },
      ],
    })
    const explained = await world.expect(0, "verify", LOCK, "--explain", ...rootOption)
    expect(explained.stdout.match(/tools\.title/g)).toHaveLength(1)
    expect(explained.stdout).toContain(`root ${ROOT.pin} of ${LEGION_ORIGIN}: flag`)
    expect(snapshot(world.folder)).toEqual(before)
  })

  test("is recognised by its content under any name but that of ours", async () => {
    await world.write("theirs.json", good)
    await world.expect(0, "verify", "theirs.json", ...rootOption)
    await world.write("toolsum.lock.json", good)
    expect((await world.expect(2, "verify", ...rootOption)).stderr).toContain("LOCKFILE_MALFORMED")
    await world.write(LOCK, "{}")
    expect((await world.expect(2, "verify", LOCK, ...rootOption)).stderr).toContain("LOCKFILE_MALFORMED")
    expect((await world.expect(2, "verify", "gone/.mcp-tools.lock.json")).stderr).toContain("FILE_MISSING")
  })

  test("is not taken for the project's lockfile", async () => {
    await world.write(LOCK, good)
    expect((await world.expect(2, "verify", ...rootOption)).stderr).toContain("FILE_MISSING")
  })

  test("of the public log's name under another root is refused by the root that is shipped", async () => {
    await world.write(LOCK, good)
    const { code, document } = await world.json("verify", LOCK)
    validateReport(document)
    expect(code).toBe(3)
    expect(document.servers.map(({ reason }: JsonObject) => reason)).toEqual(["ROOT_MISMATCH", "ROOT_MISMATCH"])
    expect(document.refutedLogs[0].message).toContain("(vendor-keys)")
  })

  test("of a log that nobody pinned is unknown, with the root to compare", async () => {
    await world.write(LOCK, good.replaceAll(LEGION_ORIGIN, "log.example.com/mcp"))
    const { stdout } = await world.expect(2, "verify", LOCK)
    expect(stdout).toContain("UNKNOWN    root_not_pinned")
    expect(stdout).toContain(`root ${ROOT.pin} of log.example.com/mcp: not pinned`)
  })

  test("is proven under roots of the trust store, of the environment and of a base revision", async () => {
    await world.write(LOCK, good)
    world.env.TOOLSUM_ROOT = `${LEGION_ORIGIN}=${ROOT.pin}`
    expect((await world.json("verify", LOCK)).document.roots[0].source).toBe("env")
    delete world.env.TOOLSUM_ROOT
    await world.write("toolsum.json", JSON.stringify({ roots: [ROOT.pin] }))
    await commitAll(world.folder)
    expect((await world.json("verify", LOCK, "--base", "HEAD")).document.roots[0].source).toBe("base")
    await world.expect(0, "trust", "add", ROOT.pin)
    expect((await world.json("verify", LOCK)).document.roots[0].source).toBe("trust-store")
  })

  test("that was edited is rejected, the others stay proven", async () => {
    await world.write(LOCK, good.replace('"tool_1": "', '"tool_1": "0').replace(/("tool_1": "0.{63})./, "$1"))
    const { code, document } = await world.json("verify", LOCK, ...rootOption)
    expect([code, document.servers.map(({ verdict }: JsonObject) => verdict)]).toEqual([3, ["PROVEN", "REJECTED"]])
  })

  test("with a name that drives a terminal is shown escaped", async () => {
    const hostile = "io.example/\u001b[2J\u202e`reboot`"
    await world.write(LOCK, formatPinnedLeaves(makeServersLog([hostile]), [0]))
    const { stdout } = await world.expect(0, "verify", LOCK, ...rootOption)
    expect(stdout).not.toMatch(/[\u001b\u202e]/)
    expect(stdout).toContain("\\u001b[2J\\u202e")
  })

  test("is reported beside ours", async () => {
    await world.write(LOCK, good)
    await world.write("empty.json", good.replace(/"servers": \{[\s\S]*\n \}\n/, '"servers": {}\n'))
    const { code, document } = await world.json("verify", "--lock", LOCK, "--lock", "empty.json", ...rootOption)
    expect(code).toBe(2)
    expect(document.servers[0].name).toBe(`${LOCK}:io.example/files`)
    expect(document.failedFiles).toMatchObject([{ file: "empty.json", error: { code: "NO_PINS" } }])
  })
})

describeShared("LEGION vectors through verify --json", () => {
  test.each(legionCases<{ lockfile: string }>("lockfile"))("$id: $desc", async (one) => {
    await world.write(LOCK, one.input.lockfile)
    const { code, document } = await world.json("verify", LOCK, "--root", one.root_pin)
    validateReport(document)
    expect(code > 0 ? "reject" : "accept").toBe(one.expect)
    expect(readFileSync(join(world.folder, LOCK), "utf8")).toBe(one.input.lockfile)
  })

  const EXITS: Readonly<Record<string, number>> = { UNCHANGED: 0, CHANGED: 1, AUTH: 2, UNKNOWN: 2 }

  test.each(legionCases<{ evidence: string }, { expect_verdict?: string }>("evidence"))("$id: $desc", async (one) => {
    await world.write("theirs.json", one.input.evidence)
    const { code, document } = await world.json("verify", "theirs.json", "--root", one.root_pin)
    validateReport(document)
    if (one.expect === "reject") {
      expect([code, document.error.code]).toEqual([expect.toBeOneOf([2, 3]), expect.any(String)])
      return
    }
    const verdict = one.expect_verdict ?? ""
    expect([document.servers[0].verdict, code]).toEqual([verdict, EXITS[verdict]])
    expect(document.servers[0].changes.length > 0).toBe(verdict === "CHANGED")
    const offline = await world.json("verify-server", "--offline", "theirs.json", "--root", one.root_pin)
    expect(offline).toMatchObject({ code, document: { servers: document.servers } })
  })
})

describe("LEGION evidence", () => {
  const evidence = (live: readonly JsonObject[] | null, more: object = {}) => {
    const document = {
      ...{
        schema: "legion-verify-evidence/0.1",
        server_id: SERVERS[0] ?? "",
        url: "https://mcp.example.com/\u001b[2J",
      },
      ...{ fetched_at: "2026-06-01T00:00:00Z", auth_required: false, http_status: null, live_tools: live },
      ...{ bundle: log.bundle(0), keyring: log.keyring, history: [log.records[0] ?? {}] },
      ...{ signed_tools: { search: toolOf("search"), tool_0: toolOf("tool_0") }, newer_uncovered_records: 2, ...more },
    }
    return formatLegionEvidence(parseLegionEvidence(JSON.stringify(document)))
  }

  test("says what changed in words, what was signed, and what nobody vouches for", async () => {
    await world.write("theirs.json", evidence([toolOf("search", "Sends it elsewhere."), toolOf("tool_0")]))
    const { stdout, stderr } = await world.expect(1, "verify", "theirs.json", ...rootOption)
    expect(stdout).toContain("io.example/files  CHANGED    surface: not as signed 2026-03-01, leaf 0")
    expect(stdout).toMatch(/[/]description[\s\S]*Sends it elsewhere/)
    expect(stdout).toContain("2026-03-01  leaf 0  2 tools")
    expect(stdout).toContain("the word of whoever saved this")
    expect(stdout).not.toContain("\u001b")
    expect(stderr).toContain("2 newer observations without a signed head")
  })

  test("under the shipped root is not of its log", async () => {
    await world.write("theirs.json", evidence([toolOf("search"), toolOf("tool_0")]))
    const { stdout } = await world.expect(2, "verify", "theirs.json")
    expect(stdout).toContain("root_not_pinned")
    expect(stdout).toContain(`toolsum trust add ${ROOT.pin}`)
    expect((await world.json("verify", "theirs.json", ...rootOption)).document.servers[0].verdict).toBe("UNCHANGED")
  })

  test("takes no options of lockfiles", async () => {
    await world.write("theirs.json", evidence(null))
    for (const more of [["--base", "HEAD"], ["--lock", LOCK], ["--all"], ["--anchors", "x"]])
      expect((await world.expect(2, "verify", "theirs.json", ...more)).stderr).toContain("(USAGE)")
  })
})

describe("a signed head of LEGION", () => {
  const head = JSON.stringify({ sth: makeLegionLog([{ serverId: "a/b", tools: [] }]).head(1) })

  test("is proven with its keyring under a root", async () => {
    await world.write("head.json", head)
    await world.write("keyring.jsonl", log.keyring)
    expect((await world.expect(2, "verify", "head.json", ...rootOption)).stderr).toContain("--keyring")
    const argv = ["verify", "head.json", "--keyring", "keyring.jsonl"]
    const { stdout } = await world.expect(0, ...argv, ...rootOption)
    expect(stdout).toMatch(/^PROVEN {2}head 1 of [0-9a-f]{64}, [0-9a-f]{64}, by its own clock 2026-04-01T00:00:00Z\n$/)
    const { code, document } = await world.json(...argv)
    validateReport(document)
    expect([code, document.verdict, document.reason]).toEqual([2, "UNKNOWN", "root_not_pinned"])
    await world.write("head.json", head.replace('"tree_size":1', '"tree_size":2'))
    expect((await world.expect(3, ...argv, ...rootOption)).stderr).toContain("SIGNATURE_INVALID")
  })
})

interface AnchorInput {
  readonly artifact: string
  readonly ots_b64?: string
  readonly headers?: JsonObject
  readonly rekor_entry?: string | JsonObject
  readonly rekor_pem?: string
}

/** Signature of the one head that the anchor cases are about: it is in the Rekor entry of theirs. */
function headOf(input: AnchorInput): string {
  const good = legionCases<AnchorInput>("anchor").find(({ id }) => id === "anchor/rekor-good")
  const entry = good?.input.rekor_entry
  const { body } = typeof entry === "string" ? JSON.parse(entry) : (entry as { body: string })
  const { spec } = JSON.parse(Buffer.from(body, "base64").toString("utf8"))
  return JSON.stringify({ tree_head: JSON.parse(input.artifact), signature_ed25519: spec.signature.content })
}

describeShared("LEGION anchors through verify", () => {
  const keyring = () => JSON.parse(readShared("vectors/legion/anchor.json")).texts.main
  const cases = legionCases<AnchorInput, { expect_status: string }>("anchor")
  const EXITS: Readonly<Record<string, number>> = { verified: 0, pending: 2, unverified: 2, failed: 3 }

  test.each(cases)("$id: $desc", async (one) => {
    const { input } = one
    await world.write("head.json", headOf(input))
    await world.write("keyring.jsonl", keyring())
    const entry = typeof input.rekor_entry === "string" ? input.rekor_entry : JSON.stringify(input.rekor_entry)
    await world.write("anchor", input.ots_b64 === undefined ? entry : Buffer.from(input.ots_b64, "base64"))
    await world.write("headers.json", JSON.stringify(input.headers ?? {}))
    await world.write("rekor.pem", input.rekor_pem ?? "")
    const argv = ["verify", "head.json", "--keyring", "keyring.jsonl", "--anchors", "anchor", "--root", one.root_pin]
    const supplied = input.ots_b64 === undefined ? ["--rekor-key", "rekor.pem"] : ["--bitcoin-headers", "headers.json"]
    const { code, document } = await world.json(...argv, ...supplied)
    validateReport(document)
    expect([document.anchors[0].status, code]).toEqual([one.expect_status, EXITS[one.expect_status]])
    // Without headers or key nothing is vouched for.
    expect((await world.run(...argv)).code).not.toBe(0)
  })
})
