// What a command may touch of the process: text out, environment, working folder, terminal, time. `main` makes the real one;
// tests make their own. Results go to stdout, everything else to stderr.

/** The process, as `main` gets it. */
export interface ProcessIo {
  /** Results: one document or one report. */
  readonly stdout: (text: string) => void
  /** Progress, warnings and errors. */
  readonly stderr: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absolute path of the working folder. Reading it throws CONFIG_INVALID when the folder was removed. */
  readonly cwd: string
  /** Node's `process.platform`. */
  readonly platform: NodeJS.Platform
  /** True when stdout is a terminal and colour is wanted. */
  readonly colour: boolean
  /** True when stderr is a terminal: progress may be shown. */
  readonly progress: boolean
  /** Ask a person; null when there is no terminal to ask on. */
  readonly ask: ((question: string) => Promise<string>) | null
  /** POSIX seconds. */
  readonly nowSec: () => number
  /** Aborted by Ctrl-C and by the other signals that ask a process to end. */
  readonly signal: AbortSignal
}

/** `io` with some members replaced. A spread would ask for all of its members, and some are worked out only when they are asked for. */
export const withMembers = <T extends object, U extends object>(io: T, members: U): Omit<T, keyof U> & U =>
  Object.defineProperties(
    {} as Omit<T, keyof U> & U, // gets all of them here
    { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(members) },
  )

/** The process as a command sees it. */
export interface Io extends ProcessIo {
  /** Run `close` when the command has ended, however it ended: for sockets that would keep the process alive. */
  readonly atEnd: (close: () => Promise<void>) => void
}
