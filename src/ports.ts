// What the layers below features need from the outside world (DESIGN 11): a log as served, the writer's storage, one way to
// read one server, time, remembered heads, consent. Adapters implement these; tests implement them in memory.
import type { ToolsumError } from "./core/errors.js"
import type { Digest } from "./core/hash.js"
import type { JsonValue } from "./core/json.js"
import type { Lockfile } from "./core/lockfile.js"
import type { SectionName, Surface } from "./core/section.js"
import type { Target } from "./core/target.js"

/** A tlog-tiles log as served by a directory or a web host. Nothing that comes from here is verified. */
export interface LogSource {
  /** Where it is, for people: a path or a URL. */
  readonly location: string
  /** True for a directory on this machine: a rollback is judged harder there (DESIGN 8). */
  readonly local: boolean
  /** Bytes at `path` under public/ (such as "checkpoint" or "tile/0/000"), or null where nothing is.
   *  Throws LOG_UNAVAILABLE for everything else, more than `maxBytes` included. */
  read(path: string, maxBytes: number): Promise<Uint8Array | null>
}

/** A LEGION log as its API serves it: bytes of one answer each, of which nothing is verified, or null where the log has no such thing.
 *  Every method throws LOG_UNAVAILABLE for everything else, too many bytes included. Hashes are 64 lower-case hex digits. */
export interface LegionLog {
  /** Where it is, for people: a URL. */
  readonly location: string
  keyring(): Promise<Uint8Array | null>
  /** Record, inclusion proof and head of the newest record of a server. */
  latest(serverId: string): Promise<Uint8Array | null>
  /** The head of that size, or the newest one. */
  head(size: bigint | null): Promise<Uint8Array | null>
  record(leafIndex: bigint): Promise<Uint8Array | null>
  inclusion(p: { readonly leafIndex: bigint; readonly treeSize: bigint }): Promise<Uint8Array | null>
  consistency(p: { readonly from: bigint; readonly to: bigint }): Promise<Uint8Array | null>
  /** Archived definitions of the list with this fingerprint. */
  tools(sha256: string): Promise<Uint8Array | null>
  /** Servers that are said to have had this list. */
  lookup(sha256: string): Promise<Uint8Array | null>
  /** Records of a server, in any order. */
  history(serverId: string): Promise<Uint8Array | null>
}

/** A server as an MCP registry lists it: nothing more than somebody's word. `urls`: where it can be reached, by streamable HTTP. */
export interface RegistryServer {
  readonly id: string
  readonly urls: readonly string[]
}

/** A registry of MCP servers. */
export interface McpRegistry {
  /** Where it is, for people. */
  readonly location: string
  /** Servers whose ids contain `text`, each once. Throws LOG_UNAVAILABLE, PROTOCOL_MALFORMED. */
  search(text: string): Promise<readonly RegistryServer[]>
}

/** The writer's own storage. Keys are relative paths such as "public/checkpoint" or "private/commits/00000000000000000001".
 *  Whatever has been answered is durable. Every method throws IO_FAILED when the storage fails; after that the outcome is unknown. */
export interface TileStore {
  /** All bytes of `key`, or null where nothing is. More than `maxBytes` is IO_FAILED. */
  read(key: string, maxBytes?: number): Promise<Uint8Array | null>
  /** Create `key` if it does not exist; of several rivals exactly one gets true. False: it exists, and nothing was written. */
  create(key: string, bytes: Uint8Array): Promise<boolean>
  /** Put `bytes` in the place of `key`, which may exist. A reader sees the old or the new bytes, never a mixture. */
  replace(key: string, bytes: Uint8Array): Promise<void>
  /** Remove `key`; no error where nothing is. Need not be durable. */
  remove(key: string): Promise<void>
  /** Names of the direct children of the folder `prefix`, files and folders, sorted; empty where nothing is. */
  list(prefix: string): Promise<readonly string[]>
}

/** Bounds of one reading of one server. */
export interface ReadLimits {
  /** Until the server has answered `initialize`. */
  readonly startTimeoutMs: number
  /** For each request after that. */
  readonly requestTimeoutMs: number
  /** Bytes of one answer. */
  readonly maxMessageBytes: number
  /** Pages of one list. */
  readonly maxPages: number
  /** Items of one list. */
  readonly maxItems: number
}

/** Bounds unless a caller has others. A start may have to install a package first (DESIGN 10). */
export const DEFAULT_READ_LIMITS: ReadLimits = {
  startTimeoutMs: 120_000,
  requestTimeoutMs: 30_000,
  maxMessageBytes: 16 * 1024 * 1024,
  maxPages: 1000,
  maxItems: 100_000,
}

/** What to read. */
export interface ReadRequest {
  readonly sections: readonly SectionName[]
  readonly limits: ReadLimits
  /** Protocol revision to ask for first, such as that of a pin; without it the reader's own order. */
  readonly protocol?: string
  readonly signal?: AbortSignal
}

/** Something worth telling about a reading that did not stop it. */
export interface ReadFinding {
  /** Stable word, such as "stdout_noise" or "list_changed". */
  readonly code: string
  /** For people; untrusted text in it is quoted. */
  readonly message: string
  readonly section: SectionName | null
}

/** What a server said once. */
export interface ServerReading {
  readonly surface: Surface
  /** Protocol version that was agreed on. */
  readonly protocol: string
  readonly capabilities: JsonValue
  readonly findings: readonly ReadFinding[]
  /** Sections that could not be read to their end, and why (SERVER_AUTH: a credential is wanted for them); what came of them before is in
   *  `surface` (null: nothing). Such a reading can be compared, but never recorded or pinned. */
  readonly failures: Readonly<Partial<Record<SectionName, ToolsumError>>>
  /** True when the server marks a list as meant for this reader alone (`cacheScope: private`): its texts go into no archive. */
  readonly isPrivate: boolean
  /** Circumstances for the lockfile's `read` (platform, node, protocol …). */
  readonly read: Readonly<Record<string, string>>
  /** The package that was really started, where that is known. */
  readonly resolved: { readonly version: string | null; readonly integrity: string | null }
}

/** One way to read one server. Sends nothing but the opening of a session (`initialize`, `server/discover`) and list requests.
 *  Throws SERVER_AUTH, whose message is the reason (`missing: NAME`, `refused`, `insufficient_scope`) and whose `evidence.wants`
 *  says in words what the server asks for, when it told; SERVER_UNREACHABLE, SERVER_REDIRECTED, TIMEOUT, PROTOCOL_MALFORMED,
 *  READING_INCOMPLETE. */
export interface ToolSource {
  read(request: ReadRequest): Promise<ServerReading>
}

/** POSIX seconds. */
export type Clock = () => number

/** What tells two logs apart in the user's state: origin and root fingerprint. */
export interface LogIdentity {
  readonly origin: string
  readonly root: string
}

/** The user's memory of the newest verified head of each log; the content is the client's own format. */
export interface State {
  /** Where that of one log is, for people. */
  placeOf(log: LogIdentity): string
  newest(log: LogIdentity): Promise<Uint8Array | null>
  /** Store `next` if the stored bytes are still `expected` (null: nothing stored); false when they are not. */
  compareAndSwap(log: LogIdentity, expected: Uint8Array | null, next: Uint8Array): Promise<boolean>
}

/** Where audits of logs stood, in the user's state; the content is features/audit/state.ts's. */
export interface AuditState {
  /** What was saved of `log`, or null. Throws IO_FAILED, STATE_CORRUPT for what is no file. */
  load(log: LogIdentity): Promise<Uint8Array | null>
  /** Put `parts`, joined, in the place of what was saved, durably. Throws IO_FAILED, TIMEOUT. */
  save(log: LogIdentity, parts: readonly Uint8Array[]): Promise<void>
}

/** What a witness remembers, by its own vkey and the origin of a log; the content is writer/witness.ts's. */
export interface WitnessStore {
  /** Throws IO_FAILED, STATE_CORRUPT for what is no file. */
  read(vkey: string, origin: string): Promise<Uint8Array | null>
  /** Store `next` durably if the stored bytes are still `expected` (null: nothing stored); false when they are not. Throws as `read`, and
   *  TIMEOUT when another process keeps writing. */
  compareAndSwap(vkey: string, origin: string, expected: Uint8Array | null, next: Uint8Array): Promise<boolean>
}

/** What a witness answered to add-checkpoint; nothing of it is verified. */
export interface WitnessReply {
  readonly status: number
  readonly contentType: string | null
  readonly body: Uint8Array
}

/** A witness as others reach it (C2SP tlog-witness). Both throw LOG_UNAVAILABLE for no answer in time, too many bytes and redirects. */
export interface WitnessService {
  /** Where it is, for people. */
  readonly location: string
  /** Send the body of an add-checkpoint request. */
  addCheckpoint(body: Uint8Array, signal?: AbortSignal): Promise<WitnessReply>
  /** The checkpoint of the log `origin` that it cosigned last, or null where it serves none. */
  latest(origin: string, signal?: AbortSignal): Promise<Uint8Array | null>
}

/** The user's list of targets that may be started or contacted (DESIGN 8). */
export interface Consent {
  has(digest: Digest): Promise<boolean>
  add(digest: Digest, why: string): Promise<void>
}

/** What a change of the lockfile leaves behind. */
export interface LockfileChange {
  readonly lockfile: Lockfile
  /** Bytes of the definitions files that go with it, by pin; null: no file. Pins that are not named keep theirs. */
  readonly definitions?: Readonly<Record<string, Uint8Array | null>>
}

/** The project's lockfile and the definitions beside it: one thing, of which nobody ever sees a lockfile with another's definitions. */
export interface LockfileStore {
  /** Where it is, or will be, for people. */
  readonly path: string
  /** The lockfile, or null where none is. Throws LOCKFILE_MALFORMED, USAGE for what is no readable file. */
  read(): Promise<Lockfile | null>
  /** Refuse at once what `update` would refuse in the end, before a server is started and a log takes anything: a folder that cannot be
   *  written to, definitions of these pins behind a link. Throws CONFIG_INVALID, IO_FAILED. */
  requireWritable(pins: readonly string[]): Promise<void>
  /** Change both under a lock: `change` gets the newest content. Whatever stops it midway, at worst definitions are missing. True when
   *  something was written; equal bytes are not written. Throws what `change` throws, as `read` and as `requireWritable`, before anything
   *  is written, TIMEOUT when somebody else keeps writing, IO_FAILED. */
  update(change: (current: Lockfile | null) => LockfileChange | Promise<LockfileChange>): Promise<boolean>
  /** Bytes of the definitions of a pin, or null. */
  readDefinitions(pin: string): Promise<Uint8Array | null>
}

/** One server in one client configuration. Values of variables and headers were dropped when it was read. */
export interface ConfiguredServer {
  readonly name: string
  /** How it is started, unwrapped from a `toolsum guard`; null when `problem` says why that cannot be told. A header whose value stands in
   *  the file has a variable of the header's name in its place. */
  readonly target: Target | null
  readonly problem: string | null
  /** Variables and headers whose values stand in the file itself. */
  readonly literals: readonly string[]
  /** True for a server behind `toolsum guard`. */
  readonly isGuarded: boolean
  /** The pin that `toolsum guard NAME` takes the launch line from; `target` is then null without a problem. */
  readonly pin?: string
  /** With `pin`: names of the variables that the guard is given. */
  readonly pinVariables?: readonly string[]
  /** True for one that the file switches off. */
  readonly isDisabled: boolean
}

/** One client configuration that is there. */
export interface ClientConfig {
  /** File as pins name it: relative to the project's folder, or `~/…` in the user's home; always with `/`. */
  readonly file: string
  /** Absolute path, for people. */
  readonly path: string
  /** Whose file it is, such as `claude-code` or `vscode`. */
  readonly client: string
  readonly scope: "project" | "user"
  readonly servers: readonly ConfiguredServer[]
  /** Why the file as a whole could not be read; then `servers` is empty, which is not the same as none. */
  readonly problem: string | null
}
