// `toolsum witness`, `witness key`, `witness cosign`: a witness for a team (C2SP tlog-witness), as a small server and as one step. Its key
// does nothing else; what it has cosigned is in its state folder and is never taken back.
import { join, resolve } from "node:path"
import { generateKey, readKeyFile, writeKeyFile } from "../../adapters/key-files.js"
import { createDirLog } from "../../adapters/log-dir.js"
import { quotePath, readRegularFile } from "../../adapters/regular-file.js"
import { findUserDirs } from "../../adapters/user-dirs.js"
import type { WitnessServer } from "../../adapters/witness-http-server.js"
import { createFileWitnessStore } from "../../adapters/witness-store-fs.js"
import { escapeInvisible, ToolsumError } from "../../core/errors.js"
import { MAX_NOTE_BYTES } from "../../core/note.js"
import { MAX_POLICY_BYTES, parsePolicy } from "../../core/policy.js"
import {
  computeVerifierKey,
  ED25519_COSIGNATURE,
  parseVkey,
  type SigningKey,
  type VerifierKey,
} from "../../core/vkey.js"
import { cosignCheckpoint } from "../../features/witness-cosign.js"
import type { LogSource } from "../../ports.js"
import { createWitness, type Witness } from "../../writer/witness.js"
import type { CommandSpec } from "../commands.js"
import { sayError } from "../error-text.js"
import { CHECKPOINT_FILE } from "../file-kind.js"
import type { Io } from "../io.js"
import { parseListen, untilAborted } from "../listen.js"
import { readPassphrase } from "../logs.js"
import type { OptionSpec, Options } from "../options.js"
import { writeOutput } from "../output-file.js"
import { printDocument } from "../report-json.js"
import { isUrl } from "../typed-target.js"

const PASSPHRASE: OptionSpec = ["--passphrase-env <name>", "Variable with the passphrase of the key"]
const WITNESS_OPTIONS: readonly OptionSpec[] = [
  ["--key <file>", "Key of this witness, made by toolsum witness key"],
  ["--log <vkey>", "Key of a log to cosign, or a policy file with log lines; repeatable"],
  ["--state <folder>", "Where it remembers what it cosigned; without it your state folder"],
  PASSPHRASE,
]

export const witnessCommand: CommandSpec = {
  usage: "witness --key file --log vkey|policy… [--listen 127.0.0.1:port]",
  words: [0, 0],
  options: [
    ...WITNESS_OPTIONS,
    [
      "--listen <address>",
      "Where to listen; without it 127.0.0.1 and a free port. Plain HTTP: only a proxy with TLS before it is for others",
    ],
  ],
  examples: ["toolsum witness --key witness.key --log log.example.com/tools+e00fb672+AVTT… --listen 127.0.0.1:4711"],
  run: async ({ options }, io) => {
    const { witness, folder } = await openWitness(options, io)
    const { host, port } = parseListen(options.value("listen") ?? "127.0.0.1:0")
    const { isLoopbackHost } = await import("../../adapters/network-address.js")
    const { startWitnessServer } = await import("../../adapters/witness-http-server.js")
    const server = await startWitnessServer(telling(witness, io), {
      host,
      port,
      onFailure: (error) => sayFailure(error, io),
    })
    if (!isLoopbackHost(host))
      io.stderr(`note: ${host} can be reached from other machines, without TLS; put a proxy with TLS before it\n`)
    announce(witness, { ...server, folder }, options, io)
    await untilAborted(io.signal)
    await server.close()
    return 0
  },
}

/** Tell a person who looks on what was cosigned and what was refused. */
function telling(witness: Witness, io: Io): Witness {
  return {
    ...witness,
    addCheckpoint: async (body) => {
      const answer = await witness.addCheckpoint(body)
      // A key of the log has signed the checkpoint, but anybody may have sent it with a proof that is none.
      if (answer.status === 422) io.stderr(`refused (422): ${escapeInvisible(answer.why)}\n`)
      if (answer.status === 503) io.stderr(`could not cosign: ${answer.why}\n`)
      return answer
    },
  }
}

function sayFailure(error: unknown, io: Io): void {
  io.stderr(`toolsum: ${error instanceof ToolsumError ? sayError(error) : escapeInvisible(String(error))}\n`)
}

interface Place extends Pick<WitnessServer, "url" | "monitoring"> {
  readonly folder: string
}

function announce(witness: Witness, at: Place, options: Options, io: Io): void {
  const { key, origins } = witness
  const members = { url: at.url, vkey: key.vkey, logs: [...origins], monitoring: [...at.monitoring], state: at.folder }
  const lines = [
    `${key.vkey}`,
    `  at     ${at.url}`,
    ...origins.flatMap((origin, i) => [`  for    ${origin}`, `  shows  ${at.monitoring[i]}`]),
    `  state  ${at.folder}`,
    `In a policy: witness ${policyName(key)} ${key.vkey} ${at.url}`,
  ]
  if (options.flag("json")) printDocument(io, { command: "witness", exitCode: 0, ...members })
  else if (!options.flag("quiet")) io.stdout(lines.map((line) => `${escapeInvisible(line)}\n`).join(""))
}

const policyName = ({ name }: VerifierKey): string => name.replace(/[^\x21-\x7e]/g, "-")

export const witnessKeyCommand: CommandSpec = {
  usage: "witness key <name> --out file",
  words: [1, 1],
  options: [["--out <file>", "Where the private key goes; a key is never overwritten"], PASSPHRASE],
  examples: ["toolsum witness key witness.example.net --out witness.key"],
  run: async ({ words: [name = ""], options }, io) => {
    const out = options.value("out")
    if (out === null) throw new ToolsumError("USAGE", "expected --out FILE for the private key")
    const signer = generateKey(name)
    await writeKeyFile(resolve(io.cwd, out), signer, readPassphrase(options, io))
    const { vkey } = cosignerOf(signer)
    if (options.flag("json")) printDocument(io, { command: "witness key", exitCode: 0, file: out, vkey })
    else
      io.stdout(
        options.flag("quiet")
          ? `${vkey}\n`
          : `${vkey}\nThe private key is in ${escapeInvisible(out)}: for this witness, nothing else.\n`,
      )
    return 0
  },
}

export const witnessCosignCommand: CommandSpec = {
  usage: "witness cosign <checkpoint> --key file --log vkey|policy [--from folder|url] [--out file]",
  words: [1, 1],
  options: [
    ...WITNESS_OPTIONS,
    ["--from <place>", "The log's folder or URL, for the proof from what was cosigned before"],
    ["--out <file>", "Write the cosigned checkpoint there; without it the signature line goes to stdout"],
  ],
  examples: [
    "toolsum witness cosign head.checkpoint --key witness.key --log log.policy --from https://log.example.com/tools/",
  ],
  run: async ({ words: [path = ""], options }, io) => {
    const { witness } = await openWitness(options, io)
    const note = readInput(path, { maxBytes: MAX_NOTE_BYTES, what: "a checkpoint" }, io)
    const done = await cosignCheckpoint({ witness, note, source: await openPlace(options.value("from"), io) })
    const out = options.value("out")
    if (out !== null) await writeOutput(resolve(io.cwd, out), done.note, CHECKPOINT_FILE)
    const size = String(done.size)
    if (options.flag("json"))
      printDocument(io, {
        command: "witness cosign",
        exitCode: 0,
        origin: done.origin,
        size,
        lines: [...done.lines],
        file: out,
      })
    else if (out === null) io.stdout(done.lines.map((line) => `${line}\n`).join(""))
    else if (!options.flag("quiet"))
      io.stdout(`${escapeInvisible(`${out}: ${done.origin} at size ${size}`)}, cosigned\n`)
    return 0
  },
}

/** The witness of `--key` for the logs of `--log`. Throws USAGE, and as `createWitness`. */
async function openWitness(options: Options, io: Io): Promise<{ witness: Witness; folder: string }> {
  const path = options.value("key")
  if (path === null) throw new ToolsumError("USAGE", "expected --key FILE; toolsum witness key makes one")
  const logKeys = options.values("log").flatMap((text) => readLogKeys(text, io))
  if (logKeys.length === 0) throw new ToolsumError("USAGE", "expected --log with the key of a log, or a policy file")
  const key = await readKeyFile(resolve(io.cwd, path), async () => readPassphrase(options, io))
  const folder = resolve(io.cwd, options.value("state") ?? join(findUserDirs(io.env, io.platform).state, "witness"))
  return { witness: createWitness({ key, logKeys, store: createFileWitnessStore(folder), clock: io.nowSec }), folder }
}

const VKEY = /^[^+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/

/** A vkey, or the log lines of a policy file. */
function readLogKeys(text: string, io: Io): readonly VerifierKey[] {
  if (VKEY.test(text)) return [parseVkey(text)]
  const policy = parsePolicy(readInput(text, { maxBytes: MAX_POLICY_BYTES, what: "a vkey or a policy file" }, io))
  if (policy.logs.length > 0) return policy.logs.map(({ key }) => key)
  throw new ToolsumError("USAGE", `expected log lines in the policy ${quotePath(text)}`)
}

function readInput(path: string, { maxBytes, what }: { maxBytes: number; what: string }, io: Io): Uint8Array {
  const bytes = readRegularFile(resolve(io.cwd, path), { maxBytes, code: "USAGE" })
  if (bytes === null) throw new ToolsumError("FILE_MISSING", `expected ${what}, got nothing at ${quotePath(path)}`)
  return bytes
}

async function openPlace(place: string | null, io: Io): Promise<LogSource | null> {
  if (place === null) return null
  if (!isUrl(place)) return createDirLog(resolve(io.cwd, place))
  const { createHttpLog } = await import("../../adapters/log-http.js")
  // Typed by the user, so that it may be on this machine or in its network.
  const log = createHttpLog(place, { env: io.env, allowPrivate: true, allowLoopbackHttp: true, signal: io.signal })
  io.atEnd(() => log.close())
  return log
}

const cosignerOf = ({ name, publicKey }: SigningKey): VerifierKey =>
  computeVerifierKey({ name, type: ED25519_COSIGNATURE, publicKey })
