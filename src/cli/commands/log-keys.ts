// `toolsum log rotate|policy`: new and closed signing keys, and other witnesses. Each plans the next keyring; how it is
// signed, offline or at once, and published, is the same for all (ceremony.ts).
import { ToolsumError } from "../../core/errors.js"
import type { Policy } from "../../core/policy.js"
import { formatKeyId } from "../../core/vkey.js"
import {
  findNewestKey,
  isInUse,
  planFinish,
  planPolicy,
  planReplacement,
  planRotation,
} from "../../features/ceremony/plan.js"
import {
  CEREMONY_OPTIONS,
  holdCeremony,
  isOwnKey,
  keyNotes,
  type OwnLog,
  openOwnLog,
  prepareKey,
  readSize,
} from "../ceremony.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { verifierOf } from "../local-keys.js"
import type { Options } from "../options.js"
import { showWord } from "../shell-words.js"
import { readWitnessPolicy } from "../witness-policy.js"

/** A new key signs from the second tree on: the first one brings the keyring that names it. */
const DEFAULT_FROM = "+2"

export const logRotateCommand: CommandSpec = {
  usage: "log rotate [--from size] [--root-key file] | log rotate --finish | log rotate --lost",
  words: [0, 0],
  options: [
    ["--from <size>", `Tree size from which the new key signs, or +N entries from now; without it ${DEFAULT_FROM}`],
    ["--finish", "Close the old key at the tree as it is; the new one goes on alone"],
    ["--lost", "The old key is gone: close it at the tree as it is, a new one takes over at once"],
    ...CEREMONY_OPTIONS,
  ],
  examples: [
    "toolsum log rotate --dry-run",
    "toolsum log rotate",
    "toolsum log rotate --finish --root-key /media/stick/root.key",
  ],
  run: async ({ options }, io) => {
    if (options.flag("finish") && options.flag("lost"))
      throw new ToolsumError("USAGE", "expected one of --finish and --lost, not both")
    const own = await openOwnLog(options, io)
    if (options.flag("finish")) return finish(own, options, io)
    return options.flag("lost") ? replace(own, options, io) : rotate(own, options, io)
  },
}

const COMMAND = "log rotate"

async function rotate(own: OwnLog, options: Options, io: Io): Promise<0> {
  const { log } = own
  requireOwnKey(own)
  const newKey = prepareKey(own, io)
  const from = readSize(options.value("from") ?? DEFAULT_FROM, log.head.size, "--from")
  const next = planRotation(log, { key: verifierOf(newKey.key), from })
  const notes = ["  the old key goes on signing until it is closed", ...keyNotes(newKey)]
  return holdCeremony(own, { command: COMMAND, next, newKey, notes }, options, io)
}

/** Without a key in use on this account nothing can be published: either this is another account, or the key is lost. */
function requireOwnKey(own: OwnLog): void {
  if (own.log.keyring.logs.some((key) => isInUse(key) && isOwnKey(own)(key.key))) return
  const why = "no signing key of this log is on this account: rotate where it is"
  throw new ToolsumError("FILE_MISSING", `${why}; if it is lost, toolsum log rotate --lost puts a new one in its place`)
}

async function finish(own: OwnLog, options: Options, io: Io): Promise<0> {
  const next = planFinish(own.log)
  const newest = findNewestKey(own.log.keyring)
  if (newest !== null && !isOwnKey(own)(newest.key))
    throw new ToolsumError(
      "FILE_MISSING",
      `expected log key ${formatKeyId(newest.key.id)}, which stays, on this account`,
    )
  return holdCeremony(own, { command: COMMAND, next, newKey: null, notes: [] }, options, io)
}

async function replace(own: OwnLog, options: Options, io: Io): Promise<0> {
  const here = own.log.keyring.logs.filter((key) => isInUse(key) && isOwnKey(own)(key.key))
  if (here.length > 0) {
    const ids = here.map(({ key }) => formatKeyId(key.id)).join(", ")
    throw new ToolsumError(
      "USAGE",
      `log key ${ids} is on this account: nothing is lost; toolsum log rotate changes keys`,
    )
  }
  const newKey = prepareKey(own, io)
  const next = planReplacement(own.log, verifierOf(newKey.key))
  const notes = ["  if somebody else may have the old key, revoke it instead: toolsum log revoke", ...keyNotes(newKey)]
  return holdCeremony(own, { command: COMMAND, next, newKey, notes }, options, io)
}

export const logPolicyCommand: CommandSpec = {
  usage: "log policy <file or none> [--root-key file]",
  words: [1, 1],
  options: CEREMONY_OPTIONS,
  examples: ["toolsum log policy witnesses.policy --dry-run", "toolsum log policy none"],
  run: async ({ words: [file = ""], options }, io) => {
    const policy = file === "none" ? null : readWitnessPolicy(file, io)
    const own = await openOwnLog(options, io)
    const next = planPolicy(own.log, policy)
    const notes = policy === null ? [] : policyNotes(policy)
    return holdCeremony(own, { command: "log policy", next, newKey: null, notes }, options, io)
  },
}

/** What a policy needs that it does not say itself. */
function policyNotes(policy: Policy): readonly string[] {
  const silent = [...policy.witnesses.values()].filter(({ url }) => url === null).map(({ name }) => showWord(name))
  return [
    "  readers who take this keyring in refuse every checkpoint without that quorum",
    ...(silent.length === 0 ? [] : [`  no URL, so never asked: ${silent.join(", ")}`]),
  ]
}
