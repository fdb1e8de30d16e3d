// The lockfile port on disk: the lockfile and its folder of definitions as one thing. The parts are lockfile-fs.ts's and
// definitions-fs.ts's.
import type { LockfileStore } from "../ports.js"
import { readDefinitions, removeDefinitions, writeDefinitions } from "./definitions-fs.js"
import { readLockfile, updateLockfile } from "./lockfile-fs.js"

/** The lockfile at `path`, which need not exist. */
export function createFileLockfile(path: string): LockfileStore {
  return {
    path,
    read: async () => readLockfile(path),
    update: async (change) => (await updateLockfile(path, change)).written,
    readDefinitions: async (pin) => readDefinitions(path, [pin])[pin] ?? null,
    writeDefinitions: async (pin, text) => {
      if (text === null) await removeDefinitions(path, pin)
      else await writeDefinitions(path, pin, text)
    },
  }
}
