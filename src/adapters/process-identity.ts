// Which process wrote a lock file, and whether that process is still there: pid, start time and place (machine, and on Linux the
// pid namespace, since a pid means nothing in another container). Brief A.3: there is no flock.
import { randomBytes } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { hostname, uptime } from "node:os"

/** A process as a lock file names it. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process in POSIX seconds, by this machine's clock. */
  readonly startSec: number
  /** Start in clock ticks since boot where the system tells it (Linux), else null. Exact, and not moved by setting the clock. */
  readonly ticks: string | null
  /** Machine and pid namespace. */
  readonly place: string
}

const LINE =
  /^toolsum-writing\/v1\npid ([1-9][0-9]{0,9})\nstart ([0-9]{1,12})\nticks ([0-9]{1,20}|-)\nplace ([!-~]{1,300})\nnonce [0-9a-f]{16}\n$/

/** A process that started this much before the machine did is gone; the slack is for clocks that were set. */
const BOOT_SLACK_SEC = 60

/** This process. */
export function describeOwnProcess(): ProcessIdentity {
  return {
    pid: process.pid,
    startSec: Math.round(Date.now() / 1000 - process.uptime()),
    ticks: readStartTicks(process.pid),
    place: describePlace(),
  }
}

/** Text of a lock file; a nonce makes each one different. */
export const formatIdentity = (p: ProcessIdentity): string =>
  `toolsum-writing/v1\npid ${p.pid}\nstart ${p.startSec}\nticks ${p.ticks ?? "-"}\nplace ${p.place}\nnonce ${randomBytes(8).toString("hex")}\n`

/** Inverse of `formatIdentity`, without the nonce; null for anything else. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const [, pid, start, ticks, place] = LINE.exec(text) ?? []
  if (pid === undefined || start === undefined || ticks === undefined || place === undefined) return null
  return { pid: Number(pid), startSec: Number(start), ticks: ticks === "-" ? null : ticks, place }
}

/** True when no process of this place is the one described; only meaningful for an identity of the own place. */
export function isProcessGone(p: ProcessIdentity): boolean {
  if (!existsProcess(p.pid)) return true
  if (p.startSec < Date.now() / 1000 - uptime() - BOOT_SLACK_SEC) return true
  return p.ticks !== null && p.ticks !== readStartTicks(p.pid)
}

function existsProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Field 22 of /proc/<pid>/stat; the process name before it may hold spaces and parentheses. */
function readStartTicks(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1")
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null
  } catch {
    return null
  }
}

function describePlace(): string {
  const name =
    hostname()
      .replace(/[^!-~]/g, "_")
      .slice(0, 200) || "_"
  try {
    return `${name}/${readlinkSync("/proc/self/ns/pid")}`
  } catch {
    return name
  }
}
