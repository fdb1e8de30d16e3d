// `toolsum add ID --log legion`: pins what a LEGION log has signed of a server; starts and contacts no server. With `--format legion` into
// LEGION's own lockfile, as its own tools would.
import { relative, resolve, sep } from "node:path"
import { definitionsPath } from "../adapters/definitions-fs.js"
import { replaceFile } from "../adapters/durable-file.js"
import type { LegionClient, ServedBundle } from "../client/legion-log.js"
import { encodeUtf8, parseDecimal } from "../core/bytes.js"
import { escapeInvisible, quote, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { JsonValue } from "../core/json.js"
import { createLegionLockfile, formatLegionLockfile, type LegionLockfile } from "../core/legion/lockfile.js"
import { requireNewName } from "../features/add.js"
import { approvalOf } from "../features/approve.js"
import { findLegionPin, nameLegionPin } from "../features/legion-pins.js"
import {
  expectLegionLocked,
  expectLocked,
  fetchLegionRecord,
  fetchLegionTexts,
  pinInTheirs,
  pinLegionRecord,
  type WantedRecord,
} from "../features/legion-record.js"
import { requirePinName } from "../features/pins.js"
import { findActor } from "./actor.js"
import { dryRunMember, lockfileToChange } from "./dry-run.js"
import { LEGION_LOCKFILE_NAME } from "./file-kind.js"
import type { Io } from "./io.js"
import { proveLegionLockfile } from "./legion-lockfile.js"
import { type LegionPlace, lockedUrl, openLegion, readLegionPlace } from "./legion-logs.js"
import type { CommandLine, Options } from "./options.js"
import { findProjectLockfile } from "./project.js"
import { printDocument } from "./report-json.js"
import { acceptTarget } from "./servers.js"
import { showWord } from "./shell-words.js"
import { readTypedTarget } from "./typed-target.js"

/** Pin the record that was asked for. */
export async function addFromLegion(line: CommandLine, io: Io): Promise<0> {
  const { options, words } = line
  const [serverId = ""] = words
  if (serverId === "")
    throw new ToolsumError("USAGE", "expected the id of a server in the log, such as io.example/files")
  const wanted = {
    serverId,
    leafIndex: readNumber(options, "at-leaf"),
    treeSize: readNumber(options, "at-head"),
  }
  const place = await readLegionPlace(options.value("log") ?? "", io)
  const format = options.value("format")
  if (format !== null && format !== "legion")
    throw new ToolsumError("USAGE", `--format: expected legion, got ${quote(format)}`)
  await (format === null ? addToOurs(wanted, place, line, io) : addToTheirs(wanted, place, line, io))
  return 0
}

function readNumber(options: Options, name: string): bigint | null {
  const text = options.value(name)
  return text === null ? null : parseDecimal(text, (why) => new ToolsumError("USAGE", `--${name}: ${why}`))
}

async function addToOurs(wanted: WantedRecord, place: LegionPlace, line: CommandLine, io: Io): Promise<void> {
  const { options } = line
  const target = readTypedTarget(line, io)
  const store = lockfileToChange(await findProjectLockfile(options, io), options)
  const current = await store.read()
  const { origin } = place
  const { serverId } = wanted
  const pinned = findLegionPin(current, { origin, serverId })
  if (pinned)
    throw new ToolsumError(
      "USAGE",
      `${serverId} is pinned already as ${pinned.name}; toolsum update ${pinned.name} takes in what is newer`,
    )
  const name = options.value("as") ?? nameLegionPin(serverId, new Set(Object.keys(current?.servers ?? {})))
  requirePinName(name)
  requireNewName(current, name)
  await store.requireWritable([name])
  const actor = await findActor(options, io)
  const client = await openLegion(place, { options, io })
  expectLocked(client, current)
  const served = await fetchLegionRecord(client, wanted)
  const definitions = options.flag("no-definitions") ? null : await fetchLegionTexts(client, served)
  if (target !== null && !options.flag("dry-run"))
    await acceptTarget(target, `toolsum add ${name}`, { lockfilePath: store.path, options, io })
  const approve = (digest: Digest) => approvalOf(digest, null, { ...actor, reason: actor.reason ?? "first baseline" })
  const url = lockedUrl(place)
  const { digest } = await pinLegionRecord(store, client, { name, served, definitions, url, target, approve })
  const files = [store.path, ...(definitions === null ? [] : [definitionsPath(store.path, name)])]
  report({ name, digest, served, client, files }, options, io)
}

async function addToTheirs(wanted: WantedRecord, place: LegionPlace, { options }: CommandLine, io: Io): Promise<void> {
  const path = resolve(io.cwd, options.value("lock") ?? LEGION_LOCKFILE_NAME)
  const before = await readTheirs(path, options, io)
  const client = await openLegion(place, { ...(before ? { expectedRoot: before.rootPin } : {}), options, io })
  if (before) expectLegionLocked(client, before)
  const served = await fetchLegionRecord(client, wanted)
  const { origin, url: base } = place
  const empty = createLegionLockfile({ base, origin, rootPin: client.keyring.rootPin })
  const lockfile = pinInTheirs(before ?? empty, client, { served, nowSec: io.nowSec() })
  if (!options.flag("dry-run")) await replaceFile(path, encodeUtf8(formatLegionLockfile(lockfile)))
  report({ name: wanted.serverId, digest: null, served, client, files: [path] }, options, io)
}

/** Their lockfile as it is; null where there is none. One that is refuted is not added to. */
async function readTheirs(path: string, options: Options, io: Io): Promise<LegionLockfile | null> {
  try {
    const { lockfile, offline } = await proveLegionLockfile(path, options, io)
    const [refuted] = offline.refuted
    if (refuted) throw refuted.error
    return lockfile
  } catch (error) {
    if (error instanceof ToolsumError && error.code === "FILE_MISSING") return null
    throw error
  }
}

interface AddedRecord {
  readonly name: string
  /** Null in LEGION's own lockfile, which has no pin digests. */
  readonly digest: Digest | null
  readonly served: ServedBundle
  readonly client: LegionClient
  readonly files: readonly string[]
}

function report({ name, digest, served, client, files }: AddedRecord, options: Options, io: Io): void {
  const { record, head } = served
  const { fingerprint } = record
  if (options.flag("json")) {
    printDocument(io, {
      ...{ command: "add", exitCode: 0, name, subject: record.serverId, pin: digest },
      ...{ log: client.origin, index: String(record.leafIndex), size: String(head.size) },
      ...{ list: `sha256:${fingerprint.sha256}`, tools: [...fingerprint.tools.keys()] as JsonValue },
      ...dryRunMember(options),
    })
    return
  }
  if (options.flag("quiet")) return
  const said = options.flag("dry-run") ? "would be pinned" : "pinned"
  const count = fingerprint.tools.size
  io.stdout(`${showWord(name)} ${said}: ${showWord(record.serverId)}, ${count} ${count === 1 ? "tool" : "tools"}\n`)
  io.stdout(
    `  leaf ${record.leafIndex} of ${showWord(client.origin)}, head ${head.size}, observed ${escapeInvisible(record.observedAt)}\n`,
  )
  io.stdout("  signed are name, description and inputSchema of each tool, and nothing else\n")
  if (!options.flag("dry-run"))
    io.stdout(`  in ${files.map((file) => showWord(relative(io.cwd, file).replaceAll(sep, "/"))).join(" and ")}\n`)
}
