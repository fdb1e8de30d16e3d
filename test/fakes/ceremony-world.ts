// A log of one's own with its root key moved away, as its owner has it: a world for tests of key ceremonies.
import { readdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { parseKeyring } from "../../src/core/keyring.js"
import type { Keyring } from "../../src/core/keyring-text.js"
import { parseNote } from "../../src/core/note.js"
import { formatKeyId } from "../../src/core/vkey.js"
import { type CliWorld, makeCliWorld, makePinnedWorld } from "./cli-world.js"

/** Options that sign with the root key at once. */
export const AT_ONCE = ["--root-key", "../root.key", "--yes"] as const

/** A world with a log, its root key in `../root.key`. `pinned`: also a pin "notes". */
export async function makeCeremonyWorld({ pinned = false } = {}): Promise<CliWorld> {
  const world = pinned ? (await makePinnedWorld()).world : await makeCliWorld()
  if (!pinned) await world.expect(0, "init")
  const root = keyFiles(world).find((name) => name.endsWith(".root.key")) ?? ""
  renameSync(join(keyFolder(world), root), join(world.folder, "..", "root.key"))
  await world.write("../entry", "my-entry/v1\n")
  return world
}

export const keyFolder = (world: CliWorld): string => join(world.home, "config", "keys")

export const keyFiles = (world: CliWorld): readonly string[] => readdirSync(keyFolder(world)).sort()

/** Where the log of a world serves its files from. */
export const publicFolder = (world: CliWorld): string => join(world.home, "data", "log", "public")

/** Keyring notes of the world's log, from 1. */
export function keyringsOf(world: CliWorld): readonly string[] {
  const folder = join(publicFolder(world), "keyring")
  const versions = readdirSync(folder)
    .map(Number)
    .sort((a, b) => a - b)
  return versions.map((version) => readFileSync(join(folder, String(version)), "utf8"))
}

/** The newest keyring of the world's log. */
export const newestKeyring = (world: CliWorld): Keyring => parseKeyring(keyringsOf(world).at(-1) ?? "")

/** Key IDs of the log keys, in the order of their first sizes. */
export const logKeyIds = (world: CliWorld): readonly string[] =>
  [...newestKeyring(world).logs].sort((a, b) => Number(a.from - b.from)).map(({ key }) => formatKeyId(key.id))

/** The served checkpoint. */
export const checkpointOf = (world: CliWorld): string => readFileSync(join(publicFolder(world), "checkpoint"), "utf8")

/** How many lines sign the served checkpoint. */
export const signatureCount = (world: CliWorld): number => parseNote(checkpointOf(world)).signatures.length

/** Let the log have one more entry. */
export const grow = async (world: CliWorld): Promise<void> => {
  await world.expect(0, "log", "append", "../entry", "--raw")
}

/** A whole change of keys. */
export async function rotateOnce(world: CliWorld): Promise<void> {
  await world.expect(0, "log", "rotate", ...AT_ONCE)
  await world.expect(0, "log", "rotate", "--finish", ...AT_ONCE)
}
