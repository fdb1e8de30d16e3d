// Hands requests on to a server and answers back, as bytes, and puts another method in the place of one on the way.
import { createServer, request } from "node:http"

/** Listens on 127.0.0.1. A POST of the method `from` becomes one of `to` with `params`. */
export async function openRelay(target, rename) {
  const server = createServer(async (incoming, response) => {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = renameMethod(Buffer.concat(chunks), rename)
    const headers = { ...incoming.headers, host: new URL(target).host }
    if (body.length > 0) headers["content-length"] = String(body.length)
    const onward = request(target, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    })
    onward.on("error", () => response.destroy())
    response.on("close", () => onward.destroy())
    onward.end(body)
  })
  await new Promise((done) => server.listen(0, "127.0.0.1", done))
  const close = () => {
    server.closeAllConnections()
    return new Promise((done) => server.close(done))
  }
  return { url: `http://127.0.0.1:${server.address().port}/`, close }
}

function renameMethod(bytes, { from, to, params }) {
  if (bytes.length === 0) return bytes
  const message = JSON.parse(bytes.toString())
  return message.method === from ? Buffer.from(JSON.stringify({ ...message, method: to, params })) : bytes
}
