import { connect } from 'node:net'

/*
 * A client that costs next to nothing: the same bytes again and again over sockets that stay open.
 * A client that is itself the slowest part would make all servers look alike.
 */
export interface Load {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly connections: number
  readonly ms: number
}

const END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i

/** How many answers came, all of them with status 200. */
export async function load({ url, headers, body, connections, ms }: Load): Promise<number> {
  const { host, hostname, port, pathname } = new URL(url)
  const length = String(Buffer.byteLength(body))
  const sent = { host, ...headers, 'content-length': length }
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  const request = Buffer.from(`POST ${pathname} HTTP/1.1\r\n${head.join('\r\n')}${END}${body}`)
  const until = performance.now() + ms
  let answered = 0

  const worker = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname)
      let held = ''
      socket.setNoDelay(true)
      socket.on('error', reject)
      socket.on('data', (chunk) => {
        held += chunk.toString('latin1')
        const end = held.indexOf(END)
        if (end < 0 || held.length < end + END.length + Number(LENGTH.exec(held)?.[1])) return
        if (!held.startsWith('HTTP/1.1 200')) {
          reject(new Error(`${url} answered ${held.slice(0, 300)}`))
          return
        }
        held = ''
        answered += 1
        if (performance.now() < until) socket.write(request)
        else {
          socket.destroy()
          resolve()
        }
      })
      socket.write(request)
    })

  await Promise.all(Array.from({ length: connections }, worker))
  return answered
}
