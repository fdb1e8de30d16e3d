// `toolsum log keyring …`: the chain in words, edits of the root keys, and the steps that a draft takes: signed where the root keys are,
// without network or log, and published where the log is.
import { resolve } from "node:path"
import { generateKey, writeKeyFile } from "../../adapters/key-files.js"
import { readRegularFile } from "../../adapters/regular-file.js"
import { parseDecimal } from "../../core/bytes.js"
import { attempt, escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import { matchRoot } from "../../core/root.js"
import { ED25519_NOTE, parseVkey, type VerifierKey } from "../../core/vkey.js"
import {
  type CheckedDraft,
  checkDraft,
  DRAFT_FORMAT,
  describeMissing,
  finishDraft,
  formatDraft,
  MAX_DRAFT_BYTES,
  parseDraft,
  signDraft,
} from "../../features/ceremony/draft.js"
import { findKey, planEdit } from "../../features/ceremony/plan.js"
import { describeNextSteps } from "../after-keyring.js"
import {
  CEREMONY_OPTIONS,
  confirmSigning,
  describeDraft,
  describePublished,
  holdCeremony,
  keyringMembers,
  openOwnLog,
  publishedMember,
  ROOT_KEY_OPTIONS,
  readRootKeys,
} from "../ceremony.js"
import type { CommandSpec } from "../commands.js"
import { DRY_RUN_OPTIONS, dryRunMember } from "../dry-run.js"
import type { Io } from "../io.js"
import { verifierOf } from "../local-keys.js"
import { LOG_OPTIONS, readPassphrase } from "../logs.js"
import type { Options } from "../options.js"
import { type OutputKind, writeOutput } from "../output-file.js"
import { collectRoots, ROOT_OPTIONS } from "../project.js"
import { publishKeyring } from "../publish-keyring.js"
import { describeChanges, describeSignatures, showKey } from "../render-keyring.js"
import { printDocument } from "../report-json.js"
import { pasteLine } from "../shell-words.js"

export const logKeyringEditCommand: CommandSpec = {
  usage: "log keyring edit [--add-root vkey] [--remove-root vkey] [--threshold k] [--expires date]",
  words: [0, 0],
  options: [
    ["--add-root <vkey>", "A further root key, as log keyring new-root prints it; repeatable"],
    ["--remove-root <vkey>", "A root key that goes, by vkey or key ID; repeatable"],
    ["--threshold <k>", "How many root keys must sign each keyring; without it as before"],
    ...CEREMONY_OPTIONS,
  ],
  examples: [
    "toolsum log keyring edit --add-root log.example.com/tools/root-b+… --threshold 2",
    "toolsum log keyring edit --expires 2028-01-01",
  ],
  run: async ({ options }, io) => {
    const own = await openOwnLog(options, io)
    const { roots } = own.log.keyring
    const next = planEdit(own.log, {
      added: options.values("add-root").map(readRoot),
      removed: options.values("remove-root").map((text) => findKey(roots, text, (key) => key)),
      threshold: readThreshold(options),
    })
    const notes = ["  the old root keys and the new ones both sign this keyring"]
    return holdCeremony(own, { command: "log keyring edit", next, newKey: null, notes }, options, io)
  },
}

function readRoot(text: string): VerifierKey {
  const key = parseVkey(text, (why) => new ToolsumError("USAGE", `--add-root: ${why}`))
  if (key.type === ED25519_NOTE) return key
  throw new ToolsumError("USAGE", `--add-root: expected a key of type 1, got type ${key.type}`)
}

function readThreshold(options: Options): number | null {
  const text = options.value("threshold")
  if (text === null) return null
  const threshold = Number(parseDecimal(text, (why) => new ToolsumError("USAGE", `--threshold: ${why}`)))
  if (threshold >= 1) return threshold
  throw new ToolsumError("USAGE", "--threshold: expected 1 or more")
}

export const logKeyringNewRootCommand: CommandSpec = {
  usage: "log keyring new-root <name> <file>",
  words: [2, 2],
  options: [["--passphrase-env <name>", "Variable with a passphrase for the key"], ...DRY_RUN_OPTIONS],
  examples: ["toolsum log keyring new-root log.example.com/tools/root-b /media/stick/root-b.key"],
  run: async ({ words: [name = "", file = ""], options }, io) => {
    const [key, path] = [generateKey(name), resolve(io.cwd, file)]
    const passphrase = readPassphrase(options, io)
    const { vkey } = verifierOf(key)
    if (!options.flag("dry-run")) await writeKeyFile(path, key, passphrase)
    if (options.flag("json")) {
      const made = options.flag("dry-run") ? null : vkey
      printDocument(io, { command: "log keyring new-root", exitCode: 0, file, vkey: made, ...dryRunMember(options) })
    } else if (options.flag("dry-run")) io.stdout(`a new root key would go to ${escapeInvisible(file)}\n`)
    else if (options.flag("quiet")) io.stdout(`${vkey}\n`)
    else
      io.stdout(`${vkey}\nThe private key is in ${escapeInvisible(file)}. On the log's machine: ${addRootLine(vkey)}\n`)
    return 0
  },
}

const addRootLine = (vkey: string): string =>
  pasteLine("toolsum", "log", "keyring", "edit", "--add-root", vkey) ?? "toolsum log keyring edit --add-root VKEY"

/** Draft files. */
const DRAFTS: OutputKind = {
  name: "draft of a keyring",
  pattern: new RegExp(`^\\{\\n {2}"format": "${DRAFT_FORMAT}"`),
  maxBytes: MAX_DRAFT_BYTES,
}

function readDraft(file: string, io: Io): CheckedDraft {
  const bytes = readRegularFile(resolve(io.cwd, file), { maxBytes: MAX_DRAFT_BYTES, code: "KEYRING_MALFORMED" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected the draft of a keyring at ${quote(file, 400)}`)
  return checkDraft(parseDraft(bytes))
}

export const logKeyringSignCommand: CommandSpec = {
  usage: "log keyring sign <draft> --root-key <file>",
  words: [1, 1],
  options: [
    ["--root-key <file>", "The root key that signs; repeatable"],
    ...ROOT_KEY_OPTIONS,
    ["--out <file>", "Where the signed draft goes; without it into its own place"],
    ...ROOT_OPTIONS,
    ...DRY_RUN_OPTIONS,
  ],
  examples: ["toolsum log keyring sign keyring-2.json --root-key /media/stick/root.key"],
  run: async ({ words: [file = ""], options }, io) => {
    const draft = readDraft(file, io)
    const pinned = await findPinned(draft, options, io)
    const keys = await readRootKeys(options, io)
    if (keys.length === 0 && !options.flag("dry-run"))
      throw new ToolsumError("USAGE", "expected --root-key; --dry-run only shows what would be signed")
    const signed = keys.reduce(signDraft, draft)
    const say = (lines: readonly string[]) => {
      if (!options.flag("json") && !options.flag("quiet")) io.stdout(lines.map((line) => `${line}\n`).join(""))
    }
    say([...describeDraft(draft), pinned === null ? COMPARE : `  that root is pinned here (${pinned})`])
    const isNew = signed !== draft
    if (options.flag("dry-run")) say([...describeSignatures(draft.sets), "nothing signed (--dry-run)"])
    else {
      if (isNew) await confirmSigning(draft, keys, options, io)
      const out = options.value("out") ?? file
      if (isNew || out !== file) await writeOutput(resolve(io.cwd, out), formatDraft(signed), DRAFTS)
      say(describeSigned(signed, isNew, out))
    }
    if (options.flag("json")) printSigned(options.flag("dry-run") ? draft : signed, options, io)
    return 0
  },
}

const COMPARE = "  compare that root with the one you know; no root of this log is pinned here"

/** Where the root of the draft's log is pinned on this machine, or null. Throws ROOT_MISMATCH when another one is. */
async function findPinned({ chain }: CheckedDraft, options: Options, io: Io): Promise<string | null> {
  const roots = await collectRoots(options, io)
  const root = attempt(() => matchRoot(chain, roots))
  if (!(root instanceof ToolsumError)) return root.source
  if (root.kind === "rejected") throw root
  return null
}

function describeSigned(draft: CheckedDraft, isNew: boolean, file: string): readonly string[] {
  const publish = pasteLine("toolsum", "log", "keyring", "publish", file) ?? "toolsum log keyring publish"
  return [
    ...(isNew ? [] : ["that key has signed before: nothing was written"]),
    ...describeSignatures(draft.sets),
    draft.isComplete
      ? `It has all its signatures. On the log's machine:  ${publish}`
      : `It ${describeMissing(draft)}. Pass ${escapeInvisible(file)} on to the next signer.`,
    `Sign no other keyring ${draft.next.version} of this log, ever: two of one version show as a fork.`,
  ]
}

function printSigned(draft: CheckedDraft, options: Options, io: Io): void {
  const { chain, before, next, sets, isComplete } = draft
  printDocument(io, {
    command: "log keyring sign",
    exitCode: 0,
    ...keyringMembers({ origin: chain.origin, root: chain.fingerprint, version: next.version }),
    changes: describeChanges(before, next),
    complete: isComplete,
    signatures: sets.map(({ version, threshold, roots, signed }) => ({
      keyring: String(version),
      threshold,
      roots: roots.map(showKey),
      signed: signed.map(showKey),
    })),
    ...dryRunMember(options),
  })
}

export const logKeyringPublishCommand: CommandSpec = {
  usage: "log keyring publish <draft>",
  words: [1, 1],
  options: [...LOG_OPTIONS, ...DRY_RUN_OPTIONS],
  examples: ["toolsum log keyring publish keyring-2.json"],
  run: async ({ words: [file = ""], options }, io) => {
    const draft = readDraft(file, io)
    const note = finishDraft(draft)
    const { folder, client, keys } = await openOwnLog(options, io)
    if (client.keyring.fingerprint !== draft.chain.fingerprint)
      throw new ToolsumError("USAGE", `the draft is for another log, ${quote(draft.chain.origin, 300)}`)
    const isDry = options.flag("dry-run")
    const published = isDry ? null : await publishKeyring({ folder, client, note, options, io })
    if (options.flag("json")) {
      const { origin, keyring } = client
      printDocument(io, {
        command: "log keyring publish",
        exitCode: 0,
        ...keyringMembers({ origin, root: keyring.fingerprint, version: draft.next.version }),
        changes: describeChanges(draft.before, draft.next),
        published: published && publishedMember(published),
        ...dryRunMember(options),
      })
    } else if (!options.flag("quiet")) {
      const steps = { before: draft.before, next: draft.next, root: client.keyring.fingerprint, keys }
      const done =
        published === null
          ? ["nothing published (--dry-run)"]
          : [describePublished(published), ...describeNextSteps(steps, options)]
      io.stdout([...describeDraft(draft), ...done].map((line) => `${line}\n`).join(""))
    }
    return 0
  },
}
