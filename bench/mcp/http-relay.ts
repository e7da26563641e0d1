import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/*
 * The least a program of its own can do between a client and a server that speak HTTP: read the body
 * as JSON and send it on over a connection that stays open. No tokens, no rules, no checks.
 */
const where = new URL(process.argv[2] ?? '')
const agent = new Agent({ keepAlive: true })

const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  incoming.on('end', () => {
    const read = Buffer.concat(chunks).toString()
    const body = read === '' ? '' : JSON.stringify(JSON.parse(read))
    const { host: _, connection: __, ...given } = incoming.headers
    const headers = { ...given, 'content-length': Buffer.byteLength(body) }
    const sent = request(where, { method: incoming.method, agent, headers }, (response) => {
      const { connection: ___, 'transfer-encoding': ____, ...answered } = response.headers
      outgoing.writeHead(response.statusCode ?? 500, answered)
      response.pipe(outgoing)
    })
    sent.on('error', () => outgoing.destroy())
    sent.end(body)
  })
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
