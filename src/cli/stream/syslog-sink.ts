import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { Sink } from './file-sink.ts'
import type { StreamedLine } from './next-batch.ts'

export interface SyslogAddress {
  readonly host: string
  readonly port: number
  readonly tls: boolean
  /** Certificates of the authorities to trust, in place of those of this machine. */
  readonly ca?: string
}

/** Facility 13 (log audit), severity 5 (notice). */
const PRIORITY = 13 * 8 + 5
/** Until a collector is taken for gone. */
const TIMEOUT_MS = 20_000
/** Longer than the way there and back: a collector that is gone has said so before we end. */
const GRACE_MS = 250

/**
 * RFC 5424 over TCP or TLS, each message with its length before it (RFC 5425, RFC 6587). Syslog
 * acknowledges nothing, so a batch is a connection of its own: it counts as delivered when we end it
 * first and the collector, which has read up to there, closes it too.
 */
export function syslogSink(address: SyslogAddress): Sink {
  return (lines) => {
    const sent = Buffer.concat(lines.map(framed))
    return new Promise((resolve, reject) => {
      const socket = opened(address)
      let weEnded = false
      let isTaken = false
      socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('the collector is silent')))
      socket.once(address.tls ? 'secureConnect' : 'connect', () => {
        socket.write(sent, () =>
          setTimeout(() => {
            weEnded = true
            socket.end()
          }, GRACE_MS),
        )
      })
      socket.on('error', reject)
      socket.on('end', () => {
        isTaken = weEnded
      })
      socket.on('close', () => {
        if (isTaken) resolve()
        else reject(new Error('the collector closed the connection too early'))
      })
      // What it says is not read, but has to be taken for its end to be seen.
      socket.resume()
    })
  }
}

function opened({ host, port, tls, ca }: SyslogAddress): Socket {
  if (!tls) return connect({ host, port })
  return connectTls({ host, port, ...(ca === undefined ? {} : { ca }), minVersion: 'TLSv1.2' })
}

function framed(line: StreamedLine): Buffer {
  const time = new Date(line.at).toISOString()
  const head = `<${PRIORITY}>1 ${time} ${hostname()} countersign - ${line.type} - `
  // A byte order mark says that the message is UTF-8.
  const message = Buffer.from(`${head}\uFEFF${line.text}`)
  return Buffer.concat([Buffer.from(`${message.length} `), message])
}
