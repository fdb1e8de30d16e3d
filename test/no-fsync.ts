// Set-up of the fast suite: an fsync answers at once. Whether bytes outlive the machine no test can see, and waiting for the disk was
// half of what this suite took. That every file and folder is synced before an answer is tested on calls that tests put in their place
// (store-fs.test.ts); the slow suite and the interop tests sync for real.
import fs from "node:fs"
import { open } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"

/** As fs.fsync: called back later, never before it returns. */
fs.fsync = Object.assign((_descriptor: number, done: fs.NoParamCallback) => void setImmediate(done, null), {
  __promisify__: async () => {},
})
syncBuiltinESMExports()

const handle = await open(import.meta.dirname)
await handle.close()
Object.getPrototypeOf(handle).sync = async () => {}
