// A project on disk with two proven pins and their definitions, and what `verify` says of it: for tests of what happens to both at once.
import { mkdir, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { formatLockfile, type Lockfile } from "../../src/core/lockfile.js"
import { verifyLockfile } from "../../src/core/verify-lockfile.js"
import { EMPTY_LOCKFILE } from "../../src/features/pins.js"
import type { LockfileChange, LockfileStore } from "../../src/ports.js"
import { createMemoryLockfile, type LockedProject, makeLockedProject, ROOT } from "./locked-project.js"

const NAMES = ["notes", "other", "third"]

/** A lockfile with its definitions. */
export interface ProjectState {
  readonly lockfile: Lockfile
  readonly definitions: Readonly<Record<string, Uint8Array>>
}

/** The pins `notes` and `other` of a project, with their definitions. */
export interface DefinedProject {
  readonly project: LockedProject
  readonly before: ProjectState
  /** What the state becomes by a change. */
  after(change: (store: LockfileStore) => Promise<unknown>): Promise<ProjectState>
}

export async function makeDefinedProject(): Promise<DefinedProject> {
  const project = await makeLockedProject()
  const after = async (from: ProjectState | null, change: (store: LockfileStore) => Promise<unknown>) => {
    const store = createMemoryLockfile(from?.lockfile ?? null)
    store.definitions = { ...from?.definitions }
    await change(store)
    return { lockfile: store.content ?? EMPTY_LOCKFILE, definitions: store.definitions }
  }
  const before = await after(null, async (store) => {
    for (const name of ["notes", "other"]) await project.pinInto(store, { name, tools: ["a"], definitions: true })
  })
  return { project, before, after: (change) => after(before, change) }
}

/** Put a state on disk in place of whatever is in the lockfile's folder. */
export async function writeState(path: string, { lockfile, definitions }: ProjectState): Promise<void> {
  const folder = join(dirname(path), ".mcp-tools")
  await rm(dirname(path), { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await writeFile(path, formatLockfile(lockfile))
  for (const [name, bytes] of Object.entries(definitions)) await writeFile(join(folder, `${name}.json`), bytes)
}

/** The change that leads to a state from any other. */
export const changeTo = ({ lockfile, definitions }: ProjectState): LockfileChange => ({
  lockfile,
  definitions: Object.fromEntries(NAMES.map((name) => [name, definitions[name] ?? null])),
})

/** What `verify` says: names of pins, their verdicts, warnings. */
export async function judge(
  store: LockfileStore,
): Promise<{ names: readonly string[]; verdicts: readonly string[]; warnings: readonly string[] }> {
  const lockfile = (await store.read()) ?? EMPTY_LOCKFILE
  const names = Object.keys(lockfile.servers).sort()
  const read = async (name: string) => [name, await store.readDefinitions(name)] as const
  const definitions = Object.fromEntries(await Promise.all(names.map(read)))
  const { servers, warnings } = verifyLockfile({ lockfile, roots: [ROOT], definitions, nowSec: 0n })
  return { names, verdicts: servers.map(({ verdict, reason }) => reason ?? verdict), warnings }
}
