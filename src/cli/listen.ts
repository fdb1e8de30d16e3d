// What commands that serve something have in common: where to listen, and until when.
import { quote, ToolsumError } from "../core/errors.js"

/** An address to listen on; port 0: any free one. */
export interface ListenAddress {
  readonly host: string
  readonly port: number
}

const LISTEN = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):([0-9]{1,5})$/
const MAX_PORT = 65_535

/** Read `HOST:PORT`, an IPv6 address in brackets. Throws USAGE. */
export function parseListen(text: string): ListenAddress {
  const [, six, four, digits = ""] = LISTEN.exec(text) ?? []
  const port = Number(digits)
  const host = six ?? four
  if (host === undefined || digits === "" || port > MAX_PORT)
    throw new ToolsumError(
      "USAGE",
      `--listen: expected an address and a port such as 127.0.0.1:4711, got ${quote(text)}`,
    )
  return { host, port }
}

/** Resolves when the command is told to end. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener("abort", () => resolve(), { once: true })
  })
