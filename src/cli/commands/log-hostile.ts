// `toolsum log hostile`: serves a log with exactly one lie on this machine, for whoever builds or tests a client of transparency logs. Keys
// are test keys that everybody has.
import { join, resolve } from "node:path"
import { escapeInvisible, quote, ToolsumError } from "../../core/errors.js"
import type { Lie } from "../../features/hostile/lie.js"
import type { CommandSpec } from "../commands.js"
import type { ExitCode } from "../exit-codes.js"
import type { Io } from "../io.js"
import { parseListen, untilAborted } from "../listen.js"
import type { Options } from "../options.js"
import { printDocument } from "../report-json.js"

/** Entries beyond the usual ones with `--large`: enough for a full tile of the second level. */
const LARGE = 65_536

export const logHostileCommand: CommandSpec = {
  usage: "log hostile [lie] [--list]",
  words: [0, 1],
  options: [
    ["--list", "List all lies; also without the name of one"],
    ["--listen <address>", "Where to listen, on this machine; without it 127.0.0.1 and a free port"],
    ["--out <folder>", "Write what a client had before: lockfile, state, root, older heads"],
    ["--large", "A log of more than 65,536 entries"],
  ],
  examples: [
    "toolsum log hostile --list",
    "toolsum log hostile fork-larger --out hostile",
    "toolsum log hostile quorum-unmet --listen 127.0.0.1:4711",
  ],
  run: async ({ words: [name], options }, io) => {
    const { LIES, findLie } = await import("../../features/hostile/lies.js")
    if (name === undefined || options.flag("list")) return list(LIES, options, io)
    const lie = findLie(name)
    if (lie === null)
      throw new ToolsumError("USAGE", `no lie is called ${quote(name)}; toolsum log hostile --list shows all`)
    return serve(lie, options, io)
  },
}

const KINDS = { lie: "lie", damage: "damage on the client's side: never a fork", harmless: "harmless" } as const

function list(lies: readonly Lie[], options: Options, io: Io): ExitCode {
  if (options.flag("json")) {
    printDocument(io, { command: "log hostile", exitCode: 0, lies: lies.map(memberOf) })
    return 0
  }
  for (const kind of ["lie", "damage", "harmless"] as const) {
    io.stdout(`${KINDS[kind]}\n`)
    for (const { name, says } of lies.filter((lie) => lie.kind === kind)) io.stdout(`  ${name.padEnd(32)} ${says}\n`)
  }
  return 0
}

const memberOf = ({ name, kind, says, step, from }: Lie) => ({ name, kind, says, step, from })

async function serve(lie: Lie, options: Options, io: Io): Promise<ExitCode> {
  const address = await readAddress(options)
  const { makeHonestWorld } = await import("../../features/hostile/world.js")
  const { tellLie } = await import("../../features/hostile/lies.js")
  const { startHostileServer } = await import("../hostile-server.js")
  const filler = options.flag("large") ? LARGE : 0
  const draft = tellLie(lie, await makeHonestWorld({ nowSec: BigInt(io.nowSec()), filler }))
  const server = await startHostileServer(draft, address)
  try {
    const out = options.value("out")
    const folder = out === null ? null : resolve(io.cwd, out)
    if (folder !== null) {
      const { writeReproduction } = await import("../hostile-client.js")
      await writeReproduction(draft, folder, { url: server.url, platform: io.platform })
    }
    await announce(lie, { url: server.url, root: draft.world.fingerprint, folder }, options, io)
    await untilAborted(io.signal)
  } finally {
    await server.close()
  }
  return 0
}

/** Only this machine: the log's keys are everybody's. Throws USAGE. */
async function readAddress(options: Options) {
  const { isLoopbackHost } = await import("../../adapters/network-address.js")
  const address = parseListen(options.value("listen") ?? "127.0.0.1:0")
  if (isLoopbackHost(address.host)) return address
  throw new ToolsumError(
    "USAGE",
    `--listen: expected an address of this machine such as 127.0.0.1, got ${quote(address.host)}`,
  )
}

async function announce(
  lie: Lie,
  { url, root, folder }: { url: string; root: string; folder: string | null },
  options: Options,
  io: Io,
): Promise<void> {
  const { ORIGIN } = await import("../../features/hostile/keys.js")
  const { STEPS } = await import("../../features/hostile/lie.js")
  if (options.flag("json")) {
    printDocument(io, {
      command: "log hostile",
      exitCode: 0,
      lie: memberOf(lie),
      url,
      origin: ORIGIN,
      root,
      out: folder,
    })
    return
  }
  if (options.flag("quiet")) return void io.stdout(`${url}\n`)
  const lines = [
    `${lie.name}: ${lie.says}`,
    `  kind    ${KINDS[lie.kind]}`,
    `  step    ${STEPS[lie.step]}`,
    `  from    ${lie.from}`,
    `  at      ${url}`,
    `  origin  ${ORIGIN}`,
    `  root    ${root}`,
    "  keys    test keys, the same for everybody: trust this root in no home of your own",
    ...(folder === null ? [] : [`  client  ${folder}`, await checkLine(folder)]),
    "Ctrl-C ends it.",
  ]
  io.stdout(lines.map((line) => `${escapeInvisible(line)}\n`).join(""))
}

/** How toolsum is tried against it, with a home of its own. */
async function checkLine(folder: string): Promise<string> {
  const { HOME_FOLDER, LOCKFILE } = await import("../hostile-client.js")
  const [home, lockfile] = [join(folder, HOME_FOLDER), join(folder, LOCKFILE)]
  return `  try     TOOLSUM_HOME=${home} toolsum check --log-only --lock ${lockfile}`
}
