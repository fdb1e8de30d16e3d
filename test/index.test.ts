// The public API: the names that others rely on, and nothing that touches the outside world.
import { expect, test } from "vitest"
import * as api from "../src/index.js"

/** DESIGN 11, and what is needed to use it. */
const PROMISED = [
  ...["parseJson", "canonicalize", "computeItemDigest", "computeSection", "verifyInclusion", "verifyConsistency"],
  ...["parseNote", "openNote", "parseCheckpoint", "formatCheckpoint", "verifyCosignature", "parsePolicy"],
  ...["parseRecord", "formatRecord", "verifyKeyring", "parseLockfile", "verifyLockfile", "verifyProofFile"],
  ...["verifyEd25519", "diffSurfaces", "ToolsumError", "ERROR_KINDS", "sha256", "hashLeaf", "hashNode", "EMPTY_ROOT"],
]

test("every promised name is there", () => {
  expect(PROMISED.filter((name) => !(name in api))).toEqual([])
})

test("nothing is exported by accident: this list changes with a decision", () => {
  expect(Object.keys(api).sort()).toMatchInlineSnapshot(`
    [
      "EMPTY_ROOT",
      "ERROR_KINDS",
      "RULES",
      "RULESET_VERSION",
      "SECTION_NAMES",
      "SEVERITIES",
      "TIERS",
      "ToolsumError",
      "analyseChanges",
      "analyseSurface",
      "applyMasks",
      "canonicalize",
      "computeHow",
      "computeItemDigest",
      "computeJsonDigest",
      "computeMaskDigest",
      "computePinDigest",
      "computeRootFingerprint",
      "computeSection",
      "computeSurface",
      "computeSurfaceDigest",
      "computeTargetDigest",
      "computeTextDigest",
      "computeTokenCost",
      "deriveSubject",
      "diffSurfaces",
      "evaluatePolicy",
      "fingerprintOf",
      "formatBase64",
      "formatCheckpoint",
      "formatCosignature",
      "formatDefinitions",
      "formatForkEvidence",
      "formatHex",
      "formatLockfile",
      "formatNote",
      "formatObservation",
      "formatRecord",
      "formatRootArgument",
      "formatTarget",
      "formatVkey",
      "hashLeaf",
      "hashNode",
      "headKey",
      "isArray",
      "isCommandTarget",
      "isObject",
      "isPinName",
      "openNote",
      "parseCheckpoint",
      "parseDefinitions",
      "parseForkEvidence",
      "parseJson",
      "parseKeyring",
      "parseLockfile",
      "parseMasks",
      "parseNote",
      "parseObservation",
      "parsePolicy",
      "parseProofFile",
      "parseRecord",
      "parseRootArgument",
      "parseServerEvidence",
      "parseSigningKey",
      "parseSurface",
      "parseTarget",
      "parseVkey",
      "quorumTolerance",
      "sha256",
      "subjectFor",
      "verifyCheckpoint",
      "verifyConsistency",
      "verifyCosignature",
      "verifyEd25519",
      "verifyForkEvidence",
      "verifyHead",
      "verifyHeads",
      "verifyInclusion",
      "verifyKeyring",
      "verifyLockfile",
      "verifyProofFile",
      "verifyServerEvidence",
    ]
  `)
})

test("an entry is proven in a tree of two", () => {
  const text = new TextEncoder()
  const [a, b] = [api.hashLeaf(text.encode("a")), api.hashLeaf(text.encode("b"))]
  const head = { size: 2n, rootHash: api.hashNode(a, b) }
  api.verifyInclusion({ leafHash: a, index: 0n, proof: [b], head })
  expect(() => api.verifyInclusion({ leafHash: b, index: 0n, proof: [b], head })).toThrow(api.ToolsumError)
  api.verifyConsistency({ older: { size: 1n, rootHash: a }, newer: head, proof: [b] })
  expect(api.ERROR_KINDS.INCLUSION_INVALID).toBe("rejected")
})

test("two lists are compared, exactly", () => {
  const surface = (text: string) => api.parseSurface(api.parseJson(text))
  const before = surface('{"tools":[{"name":"a","inputSchema":{"maximum":9223372036854775807}}]}')
  const after = surface('{"tools":[{"name":"a","inputSchema":{"maximum":9223372036854775806}}]}')
  expect(api.diffSurfaces(before, after).changes).toMatchObject([
    { section: "tools", item: "a", pointer: "/inputSchema/maximum", before: 9223372036854775807n },
  ])
})

test("a signature of another length is no signature", () => {
  expect(
    api.verifyEd25519({ publicKey: new Uint8Array(32), message: new Uint8Array(0), signature: new Uint8Array(3) }),
  ).toBe(false)
})
