// `toolsum log revoke`: a signing key that somebody else may have. Says which heads that are held here stop counting by themselves, and
// which of them the log never had: those the thief signed.
import { relative } from "node:path"
import { parseMemory } from "../../client/remember.js"
import { escapeInvisible } from "../../core/errors.js"
import type { Keyring, LogKey } from "../../core/keyring-text.js"
import { formatKeyId } from "../../core/vkey.js"
import { type AffectedHead, findAffectedHeads, type HeldHead } from "../../features/ceremony/affected.js"
import { findKey, isInUse, planRevocation } from "../../features/ceremony/plan.js"
import { CEREMONY_OPTIONS, holdCeremony, isOwnKey, keyNotes, makeKey, type OwnLog, openOwnLog } from "../ceremony.js"
import type { CommandSpec } from "../commands.js"
import type { Io } from "../io.js"
import { verifierOf } from "../local-keys.js"
import { openState } from "../logs.js"
import type { Options } from "../options.js"
import { findProjectLockfiles, LOCKFILES_OPTIONS } from "../project.js"

export const logRevokeCommand: CommandSpec = {
  usage: "log revoke <vkey or key ID> [--root-key file]",
  words: [1, 1],
  options: [...CEREMONY_OPTIONS, ...LOCKFILES_OPTIONS],
  examples: ["toolsum log keyring", "toolsum log revoke e00fb672 --dry-run", "toolsum log revoke e00fb672"],
  run: async ({ words: [text = ""], options }, io) => {
    const own = await openOwnLog(options, io)
    const { log } = own
    const revoked = findKey(log.keyring.logs, text, ({ key }) => key)
    const others = log.keyring.logs.filter((key) => key !== revoked && isInUse(key) && key.from <= log.head.size + 1n)
    // The only key that may sign now: another one takes over with the same keyring.
    const newKey = others.length === 0 ? makeKey(own, io) : null
    const next = planRevocation(log, { revoked, replacement: newKey && verifierOf(newKey.key) })
    const affected = await findHeadsHere(own, next, options, io)
    const notes = [
      ...(newKey === null ? [] : ["  it was the only key in use: the new one takes over at once", ...keyNotes(newKey)]),
      ...describeOthers(others.filter(({ key }) => isOwnKey(own)(key))),
      ...describeAffected(affected, formatKeyId(revoked.key.id)),
    ]
    return holdCeremony(own, { command: "log revoke", next, newKey, notes }, options, io)
  },
}

/** Heads in lockfiles and in this account's memory that no key in use has signed. */
async function findHeadsHere(own: OwnLog, next: Keyring, options: Options, io: Io): Promise<readonly AffectedHead[]> {
  const { client } = own
  const heads: HeldHead[] = await rememberedHeads(own, io)
  for (const store of findProjectLockfiles(options, io)) {
    const notes = Object.values((await store.read())?.logs[client.origin]?.heads ?? {})
    heads.push(...notes.map((note) => ({ from: relative(io.cwd, store.path), note })))
  }
  const rootAt = async (size: bigint) =>
    size > client.head.size ? null : (await client.proveConsistency(size)).older.rootHash
  return findAffectedHeads({ heads, next, rootAt })
}

async function rememberedHeads({ client }: OwnLog, io: Io): Promise<HeldHead[]> {
  const identity = { origin: client.origin, root: client.keyring.fingerprint }
  const stored = await openState(io).newest(identity)
  if (stored === null) return []
  const { head } = parseMemory(stored, identity)
  return [{ from: "this account's memory", note: head.note }]
}

/** Keys of this account that stay in use. */
function describeOthers(others: readonly LogKey[]): readonly string[] {
  if (others.length === 0) return []
  const ids = others.map(({ key }) => formatKeyId(key.id)).join(", ")
  return [`  log key ${ids} stays in use: if it lay beside the stolen one, revoke it too`]
}

function describeAffected(affected: readonly AffectedHead[], id: string): readonly string[] {
  if (affected.length === 0) return [`  no head that is held here rests on key ${id} alone`]
  return [
    "  heads that no key in use has signed; once revoked, they count only with a proof that leads to a newer one:",
    ...affected.map(({ size, from, isOurs }) => `    size ${size}, ${escapeInvisible(from)}: ${showOwner(isOurs)}`),
    "  toolsum update --proofs gives a lockfile that proof; until then it proves what it proved, under the older keyring",
  ]
}

function showOwner(isOurs: boolean | null): string {
  if (isOurs === null) return "LARGER than this log: whoever has the key signed it; keep that file"
  return isOurs ? "part of this log" : "NOT a tree of this log: whoever has the key signed it; keep that file"
}
