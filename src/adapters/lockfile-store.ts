// The lockfile port on disk: the lockfile and its folder of definitions as one thing. The parts are lockfile-fs.ts's and
// definitions-fs.ts's.
import type { LockfileStore } from "../ports.js"
import { readDefinitions } from "./definitions-fs.js"
import { readLockfile, requireWritable, updateLockfile } from "./lockfile-fs.js"

/** The lockfile at `path`, which need not exist. */
export function createFileLockfile(path: string): LockfileStore {
  return {
    path,
    read: async () => readLockfile(path),
    requireWritable: async (pins) => requireWritable(path, pins),
    update: async (change) => (await updateLockfile(path, change)).written,
    readDefinitions: async (pin) => readDefinitions(path, [pin])[pin] ?? null,
  }
}
