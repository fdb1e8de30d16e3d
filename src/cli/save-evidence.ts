// `--save` of verify-server, whichever log was asked: writes the evidence, and tells what became of it.
import { resolve } from "node:path"
import { escapeInvisible, ToolsumError } from "../core/errors.js"
import type { Digest } from "../core/hash.js"
import type { Io } from "./io.js"
import type { Options } from "./options.js"
import { type OutputKind, writeOutput } from "./output-file.js"
import { pasteLine } from "./shell-words.js"

/** What became of `--save`. */
export interface Saved {
  readonly file: string
  readonly sum: Digest | null
  readonly error: ToolsumError | null
}

/** Write the evidence that `build` makes; what keeps that from being done takes nothing from the verdict. */
export async function saveEvidence(
  file: string,
  { kind, io, build }: { kind: OutputKind; io: Io; build: () => Promise<{ text: string; sum: Digest }> },
): Promise<Saved> {
  try {
    const { text, sum } = await build()
    await writeOutput(resolve(io.cwd, file), text, kind)
    return { file, sum, error: null }
  } catch (error) {
    if (error instanceof ToolsumError) return { file, sum: null, error }
    throw error
  }
}

/** The same as a member of a document; none where nothing was to be saved. */
export function savedMember(saved: Saved | null) {
  if (saved === null) return {}
  const { file, sum, error } = saved
  return error
    ? { notSaved: { code: error.code, kind: error.kind, message: error.message } }
    : { evidence: { file, sum } }
}

/** The same for a person; `said`: whole lines about a file that was written. */
export function showSaved(
  { file, error }: Saved,
  said: readonly string[],
  { options, io }: { options: Options; io: Io },
): void {
  if (error) {
    io.stderr(`not saved: ${escapeInvisible(error.message)} (${error.code})\n`)
    return
  }
  if (options.flag("json") || options.flag("quiet")) return
  for (const line of said) io.stdout(`${line}\n`)
  const again = pasteLine("toolsum", "verify", file)
  if (again) io.stdout(`proven again, without network, by: ${again}\n`)
}
