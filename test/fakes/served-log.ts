// A log in memory as the files and as the host that others read it from.
import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { onTestFinished } from "vitest"
import type { HostileLog } from "./hostile-log.js"

const MAX_BYTES = 2 ** 24

/** Write what a log of at most 255 entries serves, at its newest head, below `folder`. */
export async function writeLog(log: HostileLog, folder: string): Promise<string> {
  const keyrings = log.keyrings.map((_, i) => `keyring/${i + 1}`)
  const width = `000.p/${log.size}`
  for (const path of ["checkpoint", ...keyrings, `tile/0/${width}`, `tile/entries/${width}`]) {
    const bytes = await log.read(path, MAX_BYTES)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    if (bytes !== null) await writeFile(join(folder, path), bytes)
  }
  return folder
}

/** Serve files by path, without the first slash, on 127.0.0.1 until the test ends; returns the URL, which ends with a slash. */
export async function serveFiles(read: (path: string) => Promise<Uint8Array | string | null>): Promise<string> {
  const host = createServer((request, response) => {
    const answer = (body: Uint8Array | string | null) => response.writeHead(body === null ? 404 : 200).end(body ?? "")
    void read((request.url ?? "").slice(1)).then(answer, () => response.destroy())
  })
  await new Promise<void>((done) => host.listen(0, "127.0.0.1", done))
  onTestFinished(() => new Promise<void>((done) => host.close(() => done())))
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
}
