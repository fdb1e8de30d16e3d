// The public API: formats and proofs of logs, records and lockfiles, the diff of two surfaces and what it means. Everything here is pure and
// synchronous, reads nothing and writes nothing; what can go wrong is a `ToolsumError` with a stable code. Every name is a promise.

export { formatBase64, formatHex } from "./core/bytes.js"
export { canonicalize, computeJsonDigest } from "./core/canonical.js"
export {
  type Checkpoint,
  formatCheckpoint,
  headKey,
  parseCheckpoint,
  type VerifiedCheckpoint,
  verifyCheckpoint,
} from "./core/checkpoint.js"
export { type Cosignature, formatCosignature, verifyCosignature } from "./core/cosignature.js"
export { type Definitions, formatDefinitions, parseDefinitions } from "./core/definitions.js"
export { verifyEd25519 } from "./core/ed25519.js"
export { ERROR_KINDS, type ErrorCode, type ErrorKind, ToolsumError } from "./core/errors.js"
export {
  type ForkEvidence,
  type ForkFinding,
  formatForkEvidence,
  parseForkEvidence,
  type SignedPart,
  type VerifiedFork,
  verifyForkEvidence,
} from "./core/fork-evidence.js"
export { computeTextDigest, type Digest, EMPTY_ROOT, type Hash, hashLeaf, hashNode, sha256 } from "./core/hash.js"
export { isArray, isObject, type JsonObject, type JsonValue, parseJson } from "./core/json.js"
export { fingerprintOf, type KeyringNote, parseKeyring, type VerifiedKeyring, verifyKeyring } from "./core/keyring.js"
export type { Keyring, LogKey } from "./core/keyring-text.js"
export {
  type Approval,
  formatLockfile,
  type ItemDigests,
  type LockedLog,
  type Lockfile,
  type LogDialect,
  type Pin,
  type PinOrigin,
  parseLockfile,
  type Removal,
} from "./core/lockfile.js"
export { applyMasks, computeMaskDigest, type Mask, type MaskClass, type MaskSection, parseMasks } from "./core/mask.js"
export { type TreeHead, verifyConsistency, verifyInclusion } from "./core/merkle.js"
export { formatNote, type Note, type OpenedNote, openNote, parseNote } from "./core/note.js"
export { computePinDigest, isPinName, type PinFields } from "./core/pin.js"
export {
  evaluatePolicy,
  type Policy,
  type PolicyGroup,
  type PolicyLog,
  type PolicyVerdict,
  type PolicyWitness,
  parsePolicy,
  type QuorumTolerance,
  quorumTolerance,
} from "./core/policy.js"
export {
  type ProofFile,
  type ProofTrust,
  parseProofFile,
  type VerifiedProof,
  verifyProofFile,
} from "./core/proof-file.js"
export {
  formatObservation,
  formatRecord,
  type Observation,
  type PreviousRecord,
  parseObservation,
  parseRecord,
  type ToolRecord,
} from "./core/record.js"
export {
  computeRootFingerprint,
  formatRootArgument,
  type KeyringFloor,
  type PinnedRoot,
  parseRootArgument,
  type RootArgument,
} from "./core/root.js"
export {
  type ComputedSurface,
  computeItemDigest,
  computeSection,
  computeSurface,
  computeSurfaceDigest,
  parseSurface,
  SECTION_NAMES,
  type Section,
  type SectionDigest,
  type SectionItem,
  type SectionName,
  type Surface,
  type SurfaceLines,
} from "./core/section.js"
export { parseServerEvidence, type ServerEvidence } from "./core/server-evidence.js"
export { SEVERITIES, type Severity } from "./core/severity.js"
export type { NoteSignature } from "./core/signature-line.js"
export { computeHow, type DerivedSubject, deriveSubject, type ReadConditions, subjectFor } from "./core/subject.js"
export {
  type CommandTarget,
  computeTargetDigest,
  formatTarget,
  isCommandTarget,
  parseTarget,
  type Target,
  type UrlTarget,
} from "./core/target.js"
export { TIERS, type Tier } from "./core/tier.js"
export { type HeadState, type VerifiedHead, type VerifiedHeads, verifyHead, verifyHeads } from "./core/tree-heads.js"
export type { Change, Coverage, ServerVerdict, UnknownReason, Verdict } from "./core/verdict.js"
export { type LockfileReport, type VerifyLockfileInput, verifyLockfile } from "./core/verify-lockfile.js"
export { type ProvenLog, type VerifiedEvidence, verifyServerEvidence } from "./core/verify-server-evidence.js"
export { formatVkey, parseSigningKey, parseVkey, type SigningKey, type VerifierKey } from "./core/vkey.js"
export {
  type AnalysisOptions,
  analyseChanges,
  analyseSurface,
  type ChangeAnalysis,
  type ComparedSides,
  type GradedChange,
  type OtherServer,
  type SurfaceAnalysis,
} from "./surface/analysis.js"
export type {
  ClassOverride,
  ClassReason,
  Kind,
  SurfaceClasses,
  ToolClass,
} from "./surface/classify/classify.js"
export { type DiffOptions, diffSurfaces, type SurfaceDiff } from "./surface/diff.js"
export type { ChangeFinding, Finding, Place, Rule } from "./surface/finding.js"
export type { Note as SurfaceNote, ServerFacts } from "./surface/notes.js"
export { RULES, RULESET_VERSION } from "./surface/rules.js"
export { computeTokenCost, type TokenCost } from "./surface/token-cost.js"
