// Recomputes the examples of FORMAT.md, sections 15 (`dependencies`), 19 and 20: what is found on disk, the writer's own files
// and the user's.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createFileConsent } from "../../src/adapters/consent-fs.js"
import { readKeyFile } from "../../src/adapters/key-files.js"
import { parseIdentity } from "../../src/adapters/process-identity.js"
import { resolvePackage } from "../../src/adapters/resolve-package.js"
import { createFileState } from "../../src/adapters/state-fs.js"
import { createFileTrustStore } from "../../src/adapters/trust-fs.js"
import { formatMemory, parseMemory } from "../../src/client/remember.js"
import { decodeUtf8, encodeUtf8 } from "../../src/core/bytes.js"
import { ToolsumError } from "../../src/core/errors.js"
import { parseJson } from "../../src/core/json.js"
import { parseObservation } from "../../src/core/record.js"
import { parseRootArgument } from "../../src/core/root.js"
import { parseTarget } from "../../src/core/target.js"
import { formatSigningKey } from "../../src/core/vkey.js"
import { formatObservations } from "../../src/features/observation-file.js"
import { computeConsentDigest } from "../../src/features/targets.js"
import { commitKey } from "../../src/writer/commit.js"
import { makeTempFolder } from "../fakes/temp-folder.js"
import { headOf, notesOf } from "./checks-log.js"
import { CREATED_SEC, exampleLogOf, LOG_KEY, ORIGIN } from "./example-log.js"
import { type Checks, cases, type FormatDocument } from "./format-document.js"

const SEEN_SEC = 1_796_086_900n
const PASSPHRASE = "example"
const clock = () => CREATED_SEC

const damaged = (why: string) => new ToolsumError("STATE_CORRUPT", why)

/** The lines of the staging file of the log's second step. */
async function stagingLines(doc: FormatDocument): Promise<string> {
  const { created } = await exampleLogOf(doc)
  const [, bytes] = [...created].find(([key]) => key.startsWith("private/staging/00000000000000000001-")) ?? []
  if (bytes === undefined) throw new Error("nothing was staged")
  const end = bytes.findIndex((byte, at) => byte === 10 && bytes[at + 1] === 10)
  return decodeUtf8(bytes.subarray(0, end + 2), damaged)
}

/** The state after both heads were seen, with a line break after each member. */
async function stateText(doc: FormatDocument): Promise<string> {
  const notes = await notesOf(doc)
  const [earlier = "", newest = ""] = [notes["2"], notes["3"]]
  const log = { origin: ORIGIN, root: doc.line("root") }
  const bytes = formatMemory(
    {
      head: { ...headOf(newest), note: newest },
      headSeenSec: SEEN_SEC + 3600n,
      keyring: { version: 1n, note: doc.text("keyring") },
      keyringSeenSec: SEEN_SEC,
      earlier: [{ ...headOf(earlier), note: earlier }],
    },
    log,
  )
  parseMemory(bytes, log)
  const shown = decodeUtf8(bytes, damaged).replace(/,"(?=[A-Za-z]+":)/g, ',\n"')
  parseMemory(encodeUtf8(shown.replaceAll(",\n", ",")), log)
  return shown
}

/** The key file that the document shows opens to the example's log key. */
const opensKey = (name: string) => async (doc: FormatDocument) => {
  const path = join(await makeTempFolder(), "key")
  await writeFile(path, doc.text(name))
  const key = await readKeyFile(path, async () => PASSPHRASE)
  return formatSigningKey(key) === formatSigningKey(LOG_KEY) ? doc.text(name) : "another key"
}

/** What is found of a package whose folder npm has filled with `installed` (`name@version`), the package first. */
async function dependenciesOf(installed: readonly string[]): Promise<string> {
  const cwd = await makeTempFolder()
  const [first = ""] = installed
  const [name = "", version = ""] = first.split("@")
  const packages = installed.map((word, i) => {
    const [itsName = "", itsVersion = ""] = word.split("@")
    return [`${i > 1 ? "node_modules/x/" : ""}node_modules/${itsName}`, { version: itsVersion }]
  })
  await mkdir(join(cwd, "node_modules", name), { recursive: true })
  await writeFile(join(cwd, "node_modules", name, "package.json"), JSON.stringify({ name, version }))
  const lock = JSON.stringify({ packages: Object.fromEntries(packages) })
  await writeFile(join(cwd, "node_modules", ".package-lock.json"), lock)
  const target = { command: "npx", args: ["-y", first], env: [] }
  return resolvePackage({ target, cwd, environment: {}, commandLines: [] }).dependencies ?? "nothing found"
}

export const STORE_CHECKS: Checks = {
  dependencies: cases("dependencies", (line) => dependenciesOf(line.split(" "))),
  commit: async (doc) => (await exampleLogOf(doc)).text(commitKey(1n)),
  staging: stagingLines,
  observations: (doc) =>
    formatObservations([
      { observation: parseObservation(doc.text("observation")), objects: [doc.text("section-text")] },
    ]),
  settings: async (doc) => (await exampleLogOf(doc)).text("private/log"),
  "trust-store": async (doc) => {
    const path = join(await makeTempFolder(), "trust.json")
    const root = { ...parseRootArgument(`${ORIGIN}=${doc.line("root")}`) }
    await createFileTrustStore(path, clock).add({ root, log: `https://${ORIGIN}/`, from: "read aloud by Ada" })
    return readFile(path, "utf8")
  },
  "consent-store": async (doc) => {
    const path = join(await makeTempFolder(), "consent.json")
    const digest = computeConsentDigest(parseTarget(parseJson(doc.text("target-command"))), "/home/ada/notes")
    await createFileConsent(path, clock).add(digest, "add notes")
    return readFile(path, "utf8")
  },
  "state-name": async (doc) => {
    const folder = await makeTempFolder()
    const log = { origin: ORIGIN, root: doc.line("root") }
    await createFileState(folder).compareAndSwap(log, null, encodeUtf8("{}"))
    return `${(await readdir(folder)).join()}\n`
  },
  state: stateText,
  "key-file": () => `${formatSigningKey(LOG_KEY)}\n`,
  "key-file-encrypted": opensKey("key-file-encrypted"),
  writing: (doc) => (parseIdentity(doc.text("writing"))?.pid === 4711 ? doc.text("writing") : "not the text of a lock"),
}
