// All commands, a line each, loaded only when called: `verify` must load neither a network library nor the MCP SDK (DESIGN 11).
import type { ExitCode } from "./exit-codes.js"
import type { Io } from "./io.js"
import type { CommandLine, OptionSpec } from "./options.js"

/** One command: how it is called and what it does. */
export interface CommandSpec {
  /** Words after `toolsum`, for the help: `add <name> [-- command…]`. */
  readonly usage: string
  /** Least and greatest number of words that are no options. */
  readonly words: readonly [least: number, greatest: number]
  readonly options: readonly OptionSpec[]
  /** Set where a launch line may follow: how many words come before it where `--` is left out; infinitely many: it never is. */
  readonly launchAfter?: number
  /** Lines that can be pasted. */
  readonly examples?: readonly string[]
  readonly run: (line: CommandLine, io: Io) => Promise<ExitCode>
}

/** A command that is not loaded yet. */
export interface CommandEntry {
  readonly summary: string
  readonly load: () => Promise<CommandSpec>
}

/** Options of every command. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  ["--json", "One JSON document on stdout"],
  ["--quiet", "Only the exit code, errors and what was asked for"],
  ["--no-color", "No colour (NO_COLOR does the same)"],
  ["--help", "Show this help; also -h"],
]

/** What runs without the name of a command. */
export const INVENTORY: CommandEntry = {
  summary: "List every server of this project and user: pinned, changed, not pinned; starts nothing",
  load: async () => (await import("./commands/inventory.js")).inventoryCommand,
}

/** Every command by its name of one to three words. */
export const COMMANDS: ReadonlyMap<string, CommandEntry> = new Map<string, CommandEntry>([
  [
    "init",
    {
      summary: "Create your personal log and its keys",
      load: async () => (await import("./commands/init.js")).initCommand,
    },
  ],
  [
    "add",
    { summary: "Read a server, record it, pin it", load: async () => (await import("./commands/add.js")).addCommand },
  ],
  [
    "check",
    {
      summary: "Compare pins with the log and the live servers",
      load: async () => (await import("./commands/check.js")).checkCommand,
    },
  ],
  [
    "verify",
    { summary: "Prove the lockfile offline", load: async () => (await import("./commands/verify.js")).verifyCommand },
  ],
  [
    "verify-server",
    {
      summary: "Answer for one server, without a lockfile",
      load: async () => (await import("./commands/verify-server.js")).verifyServerCommand,
    },
  ],
  [
    "update",
    {
      summary: "Read servers again, show what changed",
      load: async () => (await import("./commands/update.js")).updateCommand,
    },
  ],
  [
    "approve",
    {
      summary: "Accept exactly one reviewed pin",
      load: async () => (await import("./commands/approve.js")).approveCommand,
    },
  ],
  ["show", { summary: "Show pins", load: async () => (await import("./commands/show.js")).showCommand }],
  [
    "diff",
    {
      summary: "Compare two pins, files or log records",
      load: async () => (await import("./commands/diff.js")).diffCommand,
    },
  ],
  [
    "scan",
    {
      summary: "Say what a tool list shows by itself, and what its tools can do",
      load: async () => (await import("./commands/scan.js")).scanCommand,
    },
  ],
  [
    "report",
    {
      summary: "Report on the lockfile for others: Markdown, HTML, SARIF, JSON, or a statement for an auditor",
      load: async () => (await import("./commands/report.js")).reportCommand,
    },
  ],
  ["remove", { summary: "Remove a pin", load: async () => (await import("./commands/remove.js")).removeCommand }],
  ["rename", { summary: "Rename a pin", load: async () => (await import("./commands/rename.js")).renameCommand }],
  [
    "import",
    {
      summary: "Take over the pins of a LEGION lockfile",
      load: async () => (await import("./commands/import.js")).importCommand,
    },
  ],
  [
    "trust add",
    { summary: "Trust a log's root", load: async () => (await import("./commands/trust.js")).trustAddCommand },
  ],
  [
    "trust list",
    { summary: "List trusted roots", load: async () => (await import("./commands/trust.js")).trustListCommand },
  ],
  [
    "trust remove",
    {
      summary: "Trust a log's root no more",
      load: async () => (await import("./commands/trust.js")).trustRemoveCommand,
    },
  ],
  [
    "lock merge",
    {
      summary: "Git merge driver for lockfiles",
      load: async () => (await import("./commands/lock.js")).lockMergeCommand,
    },
  ],
  [
    "lock complete",
    {
      summary: "Log pins that were written without the key",
      load: async () => (await import("./commands/lock.js")).lockCompleteCommand,
    },
  ],
  [
    "audit",
    {
      summary: "Read a whole log and report every rule that does not hold",
      load: async () => (await import("./commands/audit.js")).auditCommand,
    },
  ],
  [
    "history",
    {
      summary: "Show what a log has signed of a server, and when a text appeared",
      load: async () => (await import("./commands/history.js")).historyCommand,
    },
  ],
  ["log create", { summary: "Create a log", load: async () => (await import("./commands/init.js")).logCreateCommand }],
  [
    "log append",
    { summary: "Append observations to a log", load: async () => (await import("./commands/log.js")).logAppendCommand },
  ],
  [
    "log cosign",
    {
      summary: "Have the newest head of a log cosigned anew",
      load: async () => (await import("./commands/log-cosign.js")).logCosignCommand,
    },
  ],
  [
    "log compare",
    {
      summary: "Compare what lockfiles, logs, witnesses and you have seen of a log",
      load: async () => (await import("./commands/log-compare.js")).logCompareCommand,
    },
  ],
  [
    "log proof",
    {
      summary: "Write a proof file for one entry",
      load: async () => (await import("./commands/log.js")).logProofCommand,
    },
  ],
  [
    "log cat",
    { summary: "Print one entry of a log", load: async () => (await import("./commands/log.js")).logCatCommand },
  ],
  [
    "log path",
    { summary: "Print where your log is", load: async () => (await import("./commands/log.js")).logPathCommand },
  ],
  [
    "witness",
    {
      summary: "Cosign the checkpoints of logs, as a small server",
      load: async () => (await import("./commands/witness.js")).witnessCommand,
    },
  ],
  [
    "witness key",
    {
      summary: "Make the key of a witness",
      load: async () => (await import("./commands/witness.js")).witnessKeyCommand,
    },
  ],
  [
    "witness cosign",
    {
      summary: "Cosign one checkpoint file",
      load: async () => (await import("./commands/witness.js")).witnessCosignCommand,
    },
  ],
  [
    "log rotate",
    {
      summary: "Give your log a new signing key, close the old one",
      load: async () => (await import("./commands/log-keys.js")).logRotateCommand,
    },
  ],
  [
    "log revoke",
    {
      summary: "Revoke a signing key that somebody else may have",
      load: async () => (await import("./commands/log-revoke.js")).logRevokeCommand,
    },
  ],
  [
    "log policy",
    {
      summary: "Say which witnesses must cosign your log",
      load: async () => (await import("./commands/log-keys.js")).logPolicyCommand,
    },
  ],
  [
    "log keyring",
    {
      summary: "Show a log's keys: who may sign what, and who said so",
      load: async () => (await import("./commands/log-keyring-show.js")).logKeyringCommand,
    },
  ],
  [
    "log keyring edit",
    {
      summary: "Change root keys, how many must sign, or the expiry",
      load: async () => (await import("./commands/log-keyring.js")).logKeyringEditCommand,
    },
  ],
  [
    "log keyring new-root",
    {
      summary: "Make a root key, on the machine where it stays",
      load: async () => (await import("./commands/log-keyring.js")).logKeyringNewRootCommand,
    },
  ],
  [
    "log keyring sign",
    {
      summary: "Show what a draft changes and sign it with a root key, offline",
      load: async () => (await import("./commands/log-keyring.js")).logKeyringSignCommand,
    },
  ],
  [
    "log keyring publish",
    {
      summary: "Publish a draft that has its signatures",
      load: async () => (await import("./commands/log-keyring.js")).logKeyringPublishCommand,
    },
  ],
  [
    "log succeed",
    {
      summary: "Make a new log for one that cannot go on, move pins to it",
      load: async () => (await import("./commands/log-succeed.js")).logSucceedCommand,
    },
  ],
  [
    "log hostile",
    {
      summary: "Serve a log with one lie, to test clients of logs",
      load: async () => (await import("./commands/log-hostile.js")).logHostileCommand,
    },
  ],
  [
    "observe",
    {
      summary: "Read a server into a file for log append",
      load: async () => (await import("./commands/observe.js")).observeCommand,
    },
  ],
  [
    "demo",
    {
      summary: "See a changed description get caught, in ten seconds",
      load: async () => (await import("./commands/demo.js")).demoCommand,
    },
  ],
])

/** The commands of a group such as `log`; none where there is no such group. */
export const commandsOf = (group: string): readonly (readonly [name: string, entry: CommandEntry])[] =>
  [...COMMANDS].filter(([name]) => name.startsWith(`${group} `))

/** True for the first word of commands that have two. */
export const isGroup = (word: string): boolean => commandsOf(word).length > 0
