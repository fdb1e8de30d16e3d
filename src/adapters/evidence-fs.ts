// Evidence files in the user's state folder (DESIGN 8). Evidence is never overwritten: other evidence of the same name gets a name of its
// own. What is in a file is core/fork-evidence.ts's.
import { open } from "node:fs/promises"
import { join } from "node:path"
import { encodeUtf8, equalBytes } from "../core/bytes.js"
import { ToolsumError } from "../core/errors.js"
import { computeTextDigest } from "../core/hash.js"
import { makePrivateDirectory, PRIVATE_FILE_MODE } from "./durable-file.js"
import { errnoOf, quotePath, readRegularFile } from "./regular-file.js"

/** Far more than two notes, a proof and all keyrings. */
const MAX_EVIDENCE_BYTES = 64 * 1024 * 1024

/** Keep evidence in `folder`, durably; returns its path. Throws IO_FAILED. */
export async function saveEvidence(folder: string, file: { name: string; text: string }): Promise<string> {
  await makePrivateDirectory(folder)
  const path = join(folder, file.name)
  if (await createOrFind(path, file.text)) return path
  const id = computeTextDigest(file.text).slice("sha256:".length, "sha256:".length + 16)
  const other = join(folder, file.name.replace(/(\.[a-z-]+)?$/, `-${id}$1`))
  if (await createOrFind(other, file.text)) return other
  throw new ToolsumError("IO_FAILED", `could not write ${quotePath(other)}: something else is there`)
}

/** False when something else has the name. */
async function createOrFind(path: string, text: string): Promise<boolean> {
  const bytes = encodeUtf8(text)
  try {
    const file = await open(path, "wx", PRIVATE_FILE_MODE)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (errnoOf(error) !== "EEXIST")
      throw new ToolsumError("IO_FAILED", `could not write ${quotePath(path)}: ${errnoOf(error)}`, { cause: error })
  }
  const there = await readRegularFile(path, { maxBytes: MAX_EVIDENCE_BYTES, code: "IO_FAILED" })
  return there !== null && equalBytes(there, bytes)
}
