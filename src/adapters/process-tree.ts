// Processes that descend from one we started: found by process group, session and parents, so that a server's helpers end with it
// (DESIGN 10). A process that moved to a session of its own after its parent died cannot be found; Windows is left to taskkill.
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

/** One running process. `started` tells it from a later process with the same pid. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Session id, or 0 where the system does not tell. */
  readonly session: number
  readonly started: string
}

/** All running processes that can be seen; zombies are not among them. Empty where the system cannot list them. */
export function listProcesses(): readonly ProcessEntry[] {
  if (process.platform === "win32") return []
  return process.platform === "linux" ? listProc() : listPs()
}

function listProc(): readonly ProcessEntry[] {
  let names: readonly string[]
  try {
    names = readdirSync("/proc")
  } catch {
    return []
  }
  return names.flatMap((name) => (/^[0-9]+$/.test(name) ? (readProcStat(name) ?? []) : []))
}

/** Fields 3 to 22 of /proc/<pid>/stat (proc(5)); null for a process that is gone or a zombie. */
function readProcStat(pid: string): ProcessEntry | null {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1")
  } catch {
    return null
  }
  // The name before the fields may hold spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, parent, group, session] = fields
  if (state === undefined || "ZX".includes(state)) return null
  return {
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? "",
  }
}

const PS_LINE = /^\s*([0-9]+)\s+([0-9]+)\s+([0-9]+)\s+(\S+)\s+(.*?)\s*$/

function listPs(): readonly ProcessEntry[] {
  let text: string
  try {
    const fields = ["-axo", "pid=,ppid=,pgid=,stat=,lstart="]
    text = execFileSync("ps", fields, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 5000 })
  } catch {
    return []
  }
  return text.split("\n").flatMap((line) => {
    const [, pid, parent, group, stat, started] = PS_LINE.exec(line) ?? []
    if (pid === undefined || stat === undefined || stat.startsWith("Z")) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, started: started ?? "" }]
  })
}

/** The processes among `all` that belong to the tree of `root`: of its group or session, one of `known` (and still the same
 *  process), or a descendant of one of these. `rootStarted` keeps a later process with the root's pid out. */
export function findTree(p: {
  root: number
  rootStarted: string | null
  known: readonly ProcessEntry[]
  all: readonly ProcessEntry[]
}): readonly ProcessEntry[] {
  const reused = p.all.some(({ pid, started }) => pid === p.root && p.rootStarted !== null && started !== p.rootStarted)
  const knownStart = new Map(p.known.map(({ pid, started }) => [pid, started]))
  const isSeed = (entry: ProcessEntry) =>
    knownStart.get(entry.pid) === entry.started || (!reused && [entry.pid, entry.group, entry.session].includes(p.root))
  const tree = new Map(p.all.filter(isSeed).map((entry) => [entry.pid, entry]))
  for (let before = -1; before !== tree.size; ) {
    before = tree.size
    for (const entry of p.all) if (tree.has(entry.parent)) tree.set(entry.pid, entry)
  }
  tree.delete(process.pid)
  return [...tree.values()]
}

/** The words a process was started with, as far as the system tells; a server may overwrite them. */
export function readCommandLine(pid: number): readonly string[] {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").filter(Boolean)
    if (process.platform === "win32") return []
    const args = ["-o", "args=", "-p", String(pid)]
    return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 5000 })
      .trim()
      .split(" ")
  } catch {
    return []
  }
}

/** Send a signal; a process that is gone is no error. */
export function sendSignal(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(pid, signal)
  } catch {
    // ESRCH: gone already. EPERM: it became another user's (setuid): nothing we may do.
  }
}
