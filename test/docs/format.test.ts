// FORMAT.md against the code: every tagged example is recomputed and compared byte by byte, every tagged table is compared with the
// constants it describes. An example without a check fails, and so does a check without its example.
import { execFileSync } from "node:child_process"
import { expect, test } from "vitest"
import { type ConfigPlace, listConfigPlaces } from "../../src/adapters/client-configs/places.js"
import { MAX_WITNESS_ANSWER_BYTES } from "../../src/adapters/witness-http.js"
import { exitCodeOfError } from "../../src/cli/exit-codes.js"
import { MAX_ADD_CHECKPOINT_BYTES } from "../../src/core/add-checkpoint.js"
import { MAX_ORIGIN_BYTES } from "../../src/core/checkpoint.js"
import { ERROR_KINDS, type ErrorCode, ToolsumError } from "../../src/core/errors.js"
import { MAX_JSON_BYTES, MAX_JSON_DEPTH } from "../../src/core/json.js"
import { MAX_KEYRING_BYTES, MAX_KEYRINGS } from "../../src/core/keyring.js"
import { MAX_KEYRING_KEYS } from "../../src/core/keyring-text.js"
import { LAUNCHERS, REGISTRY_VARIABLES } from "../../src/core/launchers.js"
import { MAX_OTS_BYTES, MAX_OTS_DEPTH, MAX_OTS_OPERATIONS } from "../../src/core/legion/anchor-ots.js"
import { MAX_REKOR_ENTRY_BYTES } from "../../src/core/legion/anchor-rekor.js"
import { MAX_LEGION_ANSWER_BYTES, MAX_LEGION_PROOF_HASHES } from "../../src/core/legion/bundle.js"
import { MAX_LEGION_HISTORY } from "../../src/core/legion/evidence.js"
import { MAX_LEGION_KEYRING_BYTES, MAX_LEGION_KEYRING_ENTRIES } from "../../src/core/legion/keyring.js"
import { MAX_MASK_SPAN, MAX_MASKS } from "../../src/core/mask.js"
import { MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES } from "../../src/core/note.js"
import { MAX_POLICY_BYTES, MAX_POLICY_MEMBERS } from "../../src/core/policy.js"
import { MAX_EXTRA_BYTES, MAX_PROOF_HASHES } from "../../src/core/proof-file.js"
import { MAX_RECORD_BYTES } from "../../src/core/record.js"
import { MAX_EVIDENCE_LOGS } from "../../src/core/server-evidence.js"
import { MAX_EVIDENCE_RECORDS } from "../../src/core/server-evidence-reader.js"
import { MAX_SETTINGS_BYTES, MAX_SETTINGS_ENTRIES } from "../../src/core/settings.js"
import { SEVERITIES } from "../../src/core/severity.js"
import { MAX_SUBJECT_BUCKET_BYTES } from "../../src/core/subject-index.js"
import { TIERS } from "../../src/core/tier.js"
import { MAX_ENTRY_BYTES, MAX_TILE_LEVEL, TILE_WIDTH } from "../../src/core/tile.js"
import { exitCodeOfVerdict, VERDICTS } from "../../src/core/verdict.js"
import { MAX_VKEY_CHARS } from "../../src/core/vkey.js"
import { AUDIT_CODES } from "../../src/features/audit/findings.js"
import { MAX_COMMIT_BYTES } from "../../src/writer/commit.js"
import { MAX_STAGING_BYTES } from "../../src/writer/staging.js"
import { CHECKS } from "./checks.js"
import { parseFormatDocument, readFormatDocument, words } from "./format-document.js"

const doc = readFormatDocument()

test("every example has one check, and every check its example", () => {
  expect([...doc.names].sort()).toEqual(Object.keys(CHECKS).sort())
})

test.each(Object.keys(CHECKS))("example %s", async (name) => {
  expect(doc.text(name)).toBe(await CHECKS[name]?.(doc))
})

test("the tables of the document are those that are compared", () => {
  expect([...doc.tables].sort()).toEqual([
    "clients",
    "errors",
    "findings",
    "launchers",
    "limits",
    "open",
    "severities",
    "tiers",
    "variables",
    "verdicts",
  ])
})

test("launchers and their options", () => {
  const rows = doc.table("launchers").map(([commands, ecosystem, flags, valued, packages, registries, after]) => ({
    ecosystem,
    commands: words(commands),
    flags: words(flags),
    valued: words(valued),
    packageOptions: words(packages),
    registryOptions: words(registries),
    readsOptionsAfter: after === "yes",
  }))
  expect(rows).toEqual(LAUNCHERS)
})

test("variables that choose a registry", () => {
  const rows = doc.table("variables").map(([ecosystem = "", names]) => [ecosystem, words(names)])
  expect(Object.fromEntries(rows)).toEqual(REGISTRY_VARIABLES)
})

test("files of clients", () => {
  const places = listConfigPlaces({ project: "/app", home: "/home/ada", platform: "linux", env: {} })
  const show = ({ file, extensions }: ConfigPlace) => `\`${file}${extensions ? `/*.{${extensions.join(",")}}` : ""}\``
  const rows = [...new Set(places.map(({ client }) => client))].map((client) => {
    const of = (scope: ConfigPlace["scope"]) =>
      places.filter((place) => place.client === client && place.scope === scope)
    return [client, of("project").map(show).join(" "), of("user").map(show).join(" ")]
  })
  expect(doc.table("clients")).toEqual(rows)
})

test("limits", () => {
  const rows = doc.table("limits").map(([name, value]) => [words(name)[0], Number(value)])
  expect(Object.fromEntries(rows)).toEqual({
    ...{ MAX_JSON_BYTES, MAX_JSON_DEPTH, MAX_MASKS, MAX_MASK_SPAN, MAX_RECORD_BYTES, MAX_ENTRY_BYTES, TILE_WIDTH },
    ...{ MAX_TILE_LEVEL, MAX_NOTE_BYTES, MAX_NOTE_SIGNATURES, MAX_VKEY_CHARS, MAX_ORIGIN_BYTES, MAX_POLICY_BYTES },
    ...{
      MAX_POLICY_MEMBERS,
      MAX_ADD_CHECKPOINT_BYTES,
      MAX_WITNESS_ANSWER_BYTES,
      MAX_KEYRING_BYTES,
      MAX_KEYRING_KEYS,
      MAX_KEYRINGS,
      MAX_PROOF_HASHES,
      MAX_EXTRA_BYTES,
    },
    ...{ MAX_LEGION_ANSWER_BYTES, MAX_LEGION_KEYRING_BYTES, MAX_LEGION_KEYRING_ENTRIES, MAX_LEGION_PROOF_HASHES },
    ...{ MAX_SETTINGS_BYTES, MAX_SETTINGS_ENTRIES },
    ...{ MAX_LEGION_HISTORY, MAX_OTS_BYTES, MAX_OTS_OPERATIONS, MAX_OTS_DEPTH, MAX_REKOR_ENTRY_BYTES },
    ...{ MAX_EVIDENCE_LOGS, MAX_EVIDENCE_RECORDS, MAX_SUBJECT_BUCKET_BYTES, MAX_COMMIT_BYTES, MAX_STAGING_BYTES },
  })
})

test("exit codes of verdicts", () => {
  const rows = doc.table("verdicts").map(([verdict, code]) => [verdict, Number(code)])
  expect(rows).toEqual(VERDICTS.map((verdict) => [verdict, exitCodeOfVerdict(verdict)]))
})

test("severities and classes", () => {
  expect(doc.table("severities").map(([word]) => word)).toEqual([...SEVERITIES])
  expect(doc.table("tiers").map(([word]) => word)).toEqual([...TIERS])
})

test("codes and kinds of what audits find", () => {
  const rows = doc.table("findings").map(([code, kind]) => [words(code)[0], kind])
  expect(rows.toSorted()).toEqual(Object.entries(AUDIT_CODES).toSorted())
})

test("codes, kinds and exit codes of errors", () => {
  const rows = doc.table("errors")
  const kinds = rows.flatMap(([kind, , codes]) => words(codes).map((code) => [code, kind]))
  expect(Object.fromEntries(kinds)).toEqual(ERROR_KINDS)
  for (const [, exit, codes] of rows) {
    for (const code of words(codes)) expect(exitCodeOfError(new ToolsumError(code as ErrorCode, ""))).toBe(Number(exit))
  }
})

const hasShellTools = (): boolean => {
  try {
    return (
      execFileSync("sh", ["-c", "printf x | sha256sum | LC_ALL=C sort -k2 | cut -c1-4"], { encoding: "utf8" }) ===
      "2d71\n"
    )
  } catch {
    return false
  }
}

test.runIf(hasShellTools())("the shell recipe gives the section digest", () => {
  const printed = execFileSync("sh", ["-c", doc.text("section-recipe")], { encoding: "utf8" })
  expect(`sha256:${printed}`).toBe(doc.text("section-digest"))
})

test("a changed example is found", async () => {
  const edited = { ...doc, text: (name: string) => doc.text(name).replace("a7c64e03", "a7c64e04") }
  expect(edited.text("section-digest")).not.toBe(await CHECKS["section-digest"]?.(doc))
})

test("the document is read as written", () => {
  const small = parseFormatDocument(
    "# x\n\n```text example=one\na => b\n```\n\n<!-- table=t -->\n\n| h |\n| --- |\n| `v` |\n",
  )
  expect(small.names).toEqual(["one"])
  expect(small.line("one")).toBe("a => b")
  expect(small.table("t")).toEqual([["`v`"]])
  expect(() => small.text("two")).toThrow("no example two")
})
