// Every parser of src/core, and those of the files that the writer and the client keep, with well-formed documents of each.
import fc from "fast-check"
import { formatMemory, parseMemory } from "../../src/client/remember.js"
import { formatBase64, formatHex, parseBase64, parseDecimal, parseHex } from "../../src/core/bytes.js"
import { canonicalize } from "../../src/core/canonical.js"
import { formatCheckpoint, parseCheckpoint } from "../../src/core/checkpoint.js"
import { formatCosignature } from "../../src/core/cosignature.js"
import { formatDefinitions, parseDefinitions } from "../../src/core/definitions.js"
import { escapeInvisible, quote, ToolsumError } from "../../src/core/errors.js"
import { parseDigest } from "../../src/core/hash.js"
import { parseJson } from "../../src/core/json.js"
import { parseKeyring, verifyKeyring } from "../../src/core/keyring.js"
import { formatKeyringText, parseKeyringText } from "../../src/core/keyring-text.js"
import { formatLockfile, parseLockfile } from "../../src/core/lockfile.js"
import { formatMasks, parseMasks } from "../../src/core/mask.js"
import { joinHashes } from "../../src/core/merkle.js"
import { formatNote, openNote, parseNote, signNote } from "../../src/core/note.js"
import { parsePackageSpec } from "../../src/core/package-spec.js"
import { formatPointer, parsePointer } from "../../src/core/pointer.js"
import { evaluatePolicy, parsePolicy } from "../../src/core/policy.js"
import { formatPrettyJson } from "../../src/core/pretty-json.js"
import { formatProofFile, parseProofFile, verifyProofFile } from "../../src/core/proof-file.js"
import { entryType, formatObservation, formatRecord, parseObservation, parseRecord } from "../../src/core/record.js"
import { formatRootArgument, parseRootArgument } from "../../src/core/root.js"
import { findSecretShape } from "../../src/core/secret-shapes.js"
import {
  computeSection,
  computeSurface,
  parseSectionText,
  parseSurface,
  SECTION_NAMES,
} from "../../src/core/section.js"
import { formatServerEvidence, parseServerEvidence, type ServerEvidence } from "../../src/core/server-evidence.js"
import { formatSignatureLine, parseSignatureLine } from "../../src/core/signature-line.js"
import { computeHow, deriveSubject } from "../../src/core/subject.js"
import { formatSubjectBucket, parseSubjectBucket, subjectBucketName } from "../../src/core/subject-index.js"
import { computeUrlSubject } from "../../src/core/subject-url.js"
import { formatTarget, parseTarget } from "../../src/core/target.js"
import { parseTemplate } from "../../src/core/template.js"
import {
  formatBundle,
  formatBundlePath,
  formatTilePath,
  parseBundle,
  parseBundlePath,
  parseTile,
  parseTilePath,
} from "../../src/core/tile.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { verifyServerEvidence } from "../../src/core/verify-server-evidence.js"
import { formatSigningKey, parseSigningKey, parseVkey } from "../../src/core/vkey.js"
import { formatCommit, parseCommit } from "../../src/writer/commit.js"
import { formatSettings, parseSettings } from "../../src/writer/settings.js"
import { formatStaging, parseStaging } from "../../src/writer/staging.js"
import { arbJson, arbSpelling } from "../core/arbitrary-json.js"
import { arbLockfile, arbMasks } from "../core/arbitrary-lockfile.js"
import { arbDigest, arbHash, arbObservation, arbRecord } from "../core/arbitrary-record.js"
import { arbTarget } from "../core/arbitrary-target.js"
import {
  entry,
  head,
  inclusion,
  keyring,
  keyringNote,
  nextKeyring,
  ORIGIN,
  signer,
  verifier,
  witness,
} from "../core/log-fixtures.js"
import type { CompleteLog } from "../fakes/complete-log.js"
import { ARGUMENTS } from "./argument-subjects.js"
import { CLIENT } from "./client-subjects.js"
import { LEGION } from "./legion-subjects.js"
import { inTurn, repairKeys, repairRecord, repairSum, resign } from "./repair.js"
import { bytesOf, exact, exactText, type Fuzzed, fuzzed, type Input, normal, textOf } from "./subject.js"
import { WITNESSED } from "./witness-subjects.js"

const bad = (why: string) => new ToolsumError("NOTE_MALFORMED", why)
const pretty = (value: Parameters<typeof formatPrettyJson>[0]): string => formatPrettyJson(value)
const json = (input: Input) => parseJson(input)
const arbJsonText = fc.oneof(
  arbSpelling.map(({ text }) => text),
  arbJson.map(pretty),
)
const arbIndex = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const arbWidth = fc.integer({ min: 1, max: 256 })
const arbText = fc.string({ unit: "grapheme", maxLength: 30 })
const SIGNER = signer(ORIGIN)
const WITNESSES = ["w1.example", "w2.example"].map((name) => witness(signer(name)))
const POLICY = `log ${verifier(SIGNER).vkey}\n${WITNESSES.map(({ vkey }, i) => `witness w${i} ${vkey} https://w.example/\n`).join("")}group g any w0 w1\nquorum g\n`

const CODECS: readonly Fuzzed[] = [
  exactText({
    name: "base64",
    valid: fc.uint8Array({ maxLength: 50 }).map(formatBase64),
    parse: (x) => parseBase64(x, bad),
    format: formatBase64,
  }),
  exactText({
    name: "hex",
    valid: fc.uint8Array({ maxLength: 50 }).map(formatHex),
    parse: (x) => parseHex(x, bad),
    format: formatHex,
  }),
  exactText({ name: "decimal", valid: arbIndex.map(String), parse: (x) => parseDecimal(x, bad), format: String }),
  exactText({ name: "digest", valid: arbDigest, parse: (x) => parseDigest(x, bad), format: (digest) => digest }),
  exactText({
    name: "pointer",
    valid: fc.array(arbText, { maxLength: 4 }).map(formatPointer),
    parse: (x) => parsePointer(x, bad),
    format: formatPointer,
  }),
  fuzzed({
    name: "quoting",
    valid: arbText,
    parse: (x) => [escapeInvisible(textOf(x)), quote(textOf(x))],
    holds: (texts) => {
      for (const text of texts)
        if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) throw new Error("something invisible is left")
    },
  }),
  fuzzed({
    name: "secret shapes",
    valid: fc.constantFrom("https://u:p@h.example/?token=abcdefgh", "--api-key=sk-abc0123456789012345678"),
    parse: (x) => findSecretShape(textOf(x)),
  }),
]

const JSON_FORMATS: readonly Fuzzed[] = [
  normal({ name: "JSON", valid: arbJsonText, parse: json, format: canonicalize }),
  normal({ name: "pretty JSON", valid: arbJsonText, parse: json, format: pretty }),
  normal({
    name: "masks",
    valid: arbMasks.map((masks) => pretty(formatMasks(masks))),
    parse: (x) => parseMasks(json(x)),
    format: (masks) => pretty(formatMasks(masks)),
    meaning: (masks) => new Set(masks), // in any order, and written in one
  }),
  normal({
    name: "target",
    valid: arbTarget.map((target) => pretty(formatTarget(target))),
    parse: (x) => parseTarget(json(x)),
    format: (target) => pretty(formatTarget(target)),
  }),
  normal({
    name: "definitions",
    valid: arbSurfaceText().map((text) => formatDefinitions(parseSurface(parseJson(text)), SECTION_NAMES)),
    parse: parseDefinitions,
    format: ({ surface }) => formatDefinitions(surface, SECTION_NAMES),
    meaning: ({ present }) => present, // items may come in any order, and are written in one
  }),
  fuzzed({
    name: "surface",
    valid: arbSurfaceText(),
    parse: (x) => computeSurface(parseSurface(json(x)), SECTION_NAMES),
  }),
  fuzzed({
    name: "section text",
    valid: fc.array(fc.record({ name: arbText }), { maxLength: 3 }).map((tools) => computeSection("tools", tools).text),
    parse: (x) => parseSectionText(textOf(x)),
  }),
  normal({
    name: "lockfile",
    valid: arbLockfile.map(formatLockfile),
    parse: parseLockfile,
    format: formatLockfile,
    meaning: ({ servers, ...rest }) => ({
      ...rest,
      servers: Object.entries(servers).map(([name, pin]) => [name, { ...pin, masks: new Set(pin.masks) }]),
    }),
  }),
]

function arbSurfaceText(): fc.Arbitrary<string> {
  const item = fc.record(
    { name: arbText, uri: arbText, uriTemplate: arbText, description: arbText, x: arbJson },
    { requiredKeys: [] },
  )
  const list = fc.oneof(fc.constant(null), fc.array(fc.oneof(item, arbJson), { maxLength: 3 }))
  return fc
    .record({
      instructions: fc.option(arbText),
      tools: list,
      prompts: list,
      resourceTemplates: list,
      resources: list,
      serverInfo: fc.option(item),
    })
    .map((surface) =>
      pretty(JSON.parse(JSON.stringify(surface, (_, value) => (typeof value === "bigint" ? `${value}` : value)))),
    )
}

const LOG_FORMATS: readonly Fuzzed[] = [
  exact({
    name: "record",
    valid: arbRecord.map(formatRecord),
    parse: parseRecord,
    format: formatRecord,
    repair: repairRecord,
  }),
  exactText({
    name: "observation",
    valid: arbObservation.map(formatObservation),
    parse: parseObservation,
    format: formatObservation,
    repair: repairRecord,
  }),
  fuzzed({ name: "entry type", valid: arbRecord.map(formatRecord), parse: (x) => entryType(bytesOf(x)) }),
  exactText({
    name: "tile path",
    valid: fc.record({ level: fc.nat(63), index: arbIndex, width: arbWidth }).map(formatTilePath),
    parse: parseTilePath,
    format: formatTilePath,
  }),
  exactText({
    name: "bundle path",
    valid: fc.record({ index: arbIndex, width: arbWidth }).map(formatBundlePath),
    parse: parseBundlePath,
    format: formatBundlePath,
  }),
  exact({
    name: "tile",
    valid: fc.array(arbHash, { maxLength: 3 }).map(joinHashes),
    parse: (x) => parseTile(bytesOf(x), { width: 3 }),
    format: joinHashes,
  }),
  exact({
    name: "bundle",
    valid: fc.array(fc.uint8Array(), { minLength: 3, maxLength: 3 }).map(formatBundle),
    parse: (x) => parseBundle(bytesOf(x), 3),
    format: formatBundle,
  }),
  exact({
    name: "subject bucket",
    valid: fc
      .tuple(
        fc.constantFrom("pkg:npm/x", "local:a"),
        fc.uniqueArray(fc.bigInt({ min: 0n, max: 99n }), { minLength: 1, maxLength: 4 }),
      )
      .map(([subject, indexes]) =>
        formatSubjectBucket({ size: 100n, subjects: new Map([[subject, indexes.sort((a, b) => Number(a - b))]]) }),
      ),
    parse: (x) => parseSubjectBucket(bytesOf(x), subjectBucketName(textOf(x).split("\n")[1]?.split(" ")[0] ?? "")),
    format: formatSubjectBucket,
  }),
]

const arbCheckpoint = fc.record({
  origin: fc.constant(ORIGIN),
  size: arbIndex.map((n) => n + 1n).filter((n) => n < 2n ** 63n),
  rootHash: arbHash,
  extensions: fc.constantFrom<string[]>([], ["x y"]),
})
const arbSigned = arbCheckpoint.map((checkpoint) => signNote(formatCheckpoint(checkpoint), [SIGNER]))
const KEYRING = keyring({ policy: parsePolicy(POLICY) })

const NOTES: readonly Fuzzed[] = [
  exactText({
    name: "vkey",
    valid: fc.constantFrom(...WITNESSES, verifier(SIGNER)).map(({ vkey }) => vkey),
    parse: parseVkey,
    format: ({ vkey }) => vkey,
    repair: repairKeys,
  }),
  exactText({
    name: "signing key",
    valid: fc.constant(formatSigningKey(SIGNER)),
    parse: parseSigningKey,
    format: formatSigningKey,
  }),
  exactText({
    name: "signature line",
    valid: arbHash.map((blob) => formatSignatureLine({ name: "n.example", id: 77, blob })),
    parse: (x) => parseSignatureLine(x, bad),
    format: formatSignatureLine,
  }),
  exact({ name: "note", valid: arbSigned, parse: parseNote, format: formatNote }),
  exactText({
    name: "checkpoint",
    valid: arbCheckpoint.map(formatCheckpoint),
    parse: parseCheckpoint,
    format: formatCheckpoint,
  }),
  exact({
    name: "policy",
    valid: fc.constant(POLICY),
    parse: parsePolicy,
    format: ({ source }) => source,
    repair: repairKeys,
  }),
  fuzzed({
    name: "note under a policy",
    valid: arbSigned,
    parse: (x) => evaluatePolicy(parsePolicy(POLICY), openNote(x, [verifier(SIGNER), ...WITNESSES])),
    repair: resign([SIGNER], (text) => [formatCosignature({ text, key: signer("w1.example"), timestamp: 9n })]),
  }),
  exactText({
    name: "root argument",
    valid: fc.constantFrom(
      `log.example=SHA256:${"A".repeat(43)}@3:${"0".repeat(64)}`,
      "0".repeat(64),
      `a=b=SHA256:${"A".repeat(43)}`,
    ),
    parse: parseRootArgument,
    format: formatRootArgument,
  }),
  exactText({
    name: "keyring text",
    valid: fc.constant(formatKeyringText(KEYRING)),
    parse: parseKeyringText,
    format: formatKeyringText,
    repair: repairKeys,
  }),
  exact({
    name: "keyring",
    valid: fc.constant(keyringNote(KEYRING)),
    parse: parseKeyring,
    format: ({ note }) => formatNote(note),
    repair: repairKeys,
  }),
  fuzzed({
    name: "keyring chain",
    valid: fc.constant(
      keyringNote(nextKeyring({ version: 1n, text: formatKeyringText(KEYRING) }, { issued: 1796000001n })),
    ),
    parse: (x) => verifyKeyring({ notes: [keyringNote(KEYRING), x] }),
    repair: inTurn(repairKeys, resign([signer("root-a")])),
  }),
]

const arbProofFile = fc
  .record({
    extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 50 })),
    index: arbIndex,
    proof: fc.array(arbHash, { maxLength: 4 }),
    checkpoint: arbSigned,
  })
  .map(formatProofFile)

const PROVEN = formatProofFile({
  extra: entry(3),
  index: 3n,
  proof: inclusion(3, 7),
  checkpoint: head(ORIGIN, 7, [SIGNER]),
})

const PROOFS: readonly Fuzzed[] = [
  exact({ name: "proof file", valid: arbProofFile, parse: parseProofFile, format: formatProofFile }),
  fuzzed({
    name: "verifying a proof file",
    valid: fc.oneof(fc.constant(PROVEN), arbProofFile),
    parse: (file) => verifyProofFile({ file, origin: ORIGIN, keys: [verifier(SIGNER)] }),
    repair: resign([SIGNER], () => [], ORIGIN),
  }),
]

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

const TARGETS: readonly Fuzzed[] = [
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

const KEPT_LOG = { origin: ORIGIN, root: "SHA256:x" }

const KEPT_FILES: readonly Fuzzed[] = [
  exact({
    name: "commit record",
    valid: fc
      .tuple(fc.option(arbHash), arbDigest, arbSigned)
      .map(([prev, staging, checkpoint]) => formatCommit({ seq: prev ? 7n : 0n, prev, staging, checkpoint })),
    parse: (x) => parseCommit(bytesOf(x)),
    format: formatCommit,
  }),
  exact({
    name: "staging file",
    valid: fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 3 }).map((files) =>
      formatStaging({
        oldSize: 1n,
        newSize: 3n,
        files: files.map((bytes, i) => ({ key: `public/tile/0/00${i}.p/3`, bytes })),
      }),
    ),
    parse: (x) => parseStaging(bytesOf(x)),
    format: formatStaging,
  }),
  exact({
    name: "settings",
    valid: fc.constant(formatSettings({ origin: ORIGIN, archive: true })),
    parse: (x) => parseSettings(bytesOf(x)),
    format: formatSettings,
  }),
  exact({
    name: "memory of a log",
    valid: fc.constant(
      formatMemory(
        {
          head: {
            size: 5n,
            rootHash: parseCheckpoint(parseNote(head(ORIGIN, 5, [SIGNER])).text).rootHash,
            note: head(ORIGIN, 5, [SIGNER]),
          },
          headSeenSec: 1n,
          keyring: { version: 1n, note: keyringNote(keyring()) },
          keyringSeenSec: 2n,
          earlier: [],
        },
        KEPT_LOG,
      ),
    ),
    parse: (x) => parseMemory(bytesOf(x), KEPT_LOG),
    format: (memory) => formatMemory(memory, KEPT_LOG),
    repair: repairSum,
  }),
]

/** Everything that is fuzzed; `log` lends a lockfile that verifies, and its definitions; `evidence` is of one reading. */
export function listFuzzed(log: CompleteLog, evidence: ServerEvidence): readonly Fuzzed[] {
  const { lockfile, root, definitions } = log
  const name = "package"
  const verifying = [
    fuzzed({
      name: "verifying a lockfile",
      valid: fc.constant(formatLockfile(lockfile)),
      parse: (x) => verifyLockfile({ lockfile: parseLockfile(x), roots: [root], nowSec: 0n }),
    }),
    fuzzed({
      name: "verifying definitions",
      valid: fc.constant(definitions[name] ?? ""),
      parse: (x) => verifyLockfile({ lockfile, roots: [root], definitions: { [name]: bytesOf(x) }, nowSec: 0n }),
    }),
  ]
  const readings = [
    normal({
      name: "evidence of a reading",
      valid: fc.constant(formatServerEvidence(evidence)),
      parse: (x) => parseServerEvidence(x),
      format: formatServerEvidence,
    }),
    fuzzed({
      name: "verifying evidence",
      valid: fc.constant(formatServerEvidence(evidence)),
      parse: (x) => verifyServerEvidence({ evidence: parseServerEvidence(x), roots: [root], nowSec: 0n }),
    }),
  ]
  return [
    ...CODECS,
    ...JSON_FORMATS,
    ...LOG_FORMATS,
    ...NOTES,
    ...PROOFS,
    ...TARGETS,
    ...KEPT_FILES,
    ...LEGION,
    ...WITNESSED,
    ...CLIENT,
    ...ARGUMENTS,
    ...verifying,
    ...readings,
  ]
}
