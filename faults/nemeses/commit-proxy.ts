import { connect, createServer, type Socket } from 'node:net'
import { WRITE } from '../../src/store/postgres/write.ts'

/** What to do to the next COMMIT that passes. */
export type CommitFault =
  /** It never arrives: the transaction is rolled back. */
  | 'lose'
  /** It arrives, and the answer never comes back: it is committed and nobody knows. */
  | 'deafen'
  /** It arrives, and the connection breaks at once: committed or not, nobody knows. */
  | 'cut'

export interface FaultProxy {
  readonly port: number
  /** Commits that pass before the fault; the connection that carries it is broken. */
  breakCommit(fault: CommitFault, after: number): void
  /** How many commits were broken so far. */
  readonly broken: number
  /** All connections go, now. */
  cutAll(): void
  /** Nothing passes in either direction until it is called again. */
  hold(held: boolean): void
  close(): Promise<void>
}

/**
 * Stands between a store and its Postgres and reads what the client says, so that a connection can
 * be broken exactly when it is told to commit.
 */
export async function faultProxy(target: { host: string; port: number }): Promise<FaultProxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>()
  let planned: { fault: CommitFault; after: number } | undefined
  let broken = 0
  let isHeld = false

  function commitSeen(): CommitFault | undefined {
    if (planned === undefined) return undefined
    if (planned.after > 0) {
      planned = { ...planned, after: planned.after - 1 }
      return undefined
    }
    const { fault } = planned
    planned = undefined
    broken += 1
    return fault
  }

  const listener = createServer((client) => {
    const server = connect(target)
    const pair = { client, server }
    pairs.add(pair)
    let isDeaf = false
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', end)
      if (isHeld) socket.pause()
    }
    const split = messages()
    const isCommit = commits()
    client.on('data', (bytes) => {
      for (const message of split(bytes)) {
        const fault = isCommit(message) ? commitSeen() : undefined
        if (fault === 'lose') {
          end()
          return
        }
        if (fault === 'deafen') isDeaf = true
        server.write(message, () => {
          if (fault === 'cut') end()
          // Long enough for the server to commit; the client hears nothing of it.
          if (fault === 'deafen') setTimeout(end, 50)
        })
      }
    })
    server.on('data', (bytes) => {
      if (!isDeaf) client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  const cutAll = () => {
    for (const { client, server } of [...pairs]) {
      client.destroy()
      server.destroy()
    }
  }
  return {
    port: address.port,
    breakCommit(fault, after) {
      planned = { fault, after }
    },
    get broken() {
      return broken
    },
    cutAll,
    hold(held) {
      isHeld = held
      for (const { client, server } of pairs) {
        for (const socket of [client, server]) held ? socket.pause() : socket.resume()
      }
    },
    close() {
      cutAll()
      return new Promise((resolve) => listener.close(() => resolve()))
    },
  }
}

/** Whole messages of a client, as they become complete. Only the very first has no letter in front. */
function messages(): (bytes: Buffer) => Buffer[] {
  let left: Buffer = Buffer.alloc(0)
  let isFirst = true
  return (bytes) => {
    left = Buffer.concat([left, bytes])
    const whole: Buffer[] = []
    for (;;) {
      const letter = isFirst ? 0 : 1
      if (left.length < letter + 4) return whole
      const length = letter + left.readUInt32BE(letter)
      if (left.length < length) return whole
      whole.push(left.subarray(0, length))
      left = left.subarray(length)
      isFirst = false
    }
  }
}

const QUERY = 0x51
const BIND = 0x42
const SYNC = 0x53

/**
 * What commits on one connection: the statement itself, or the Sync that ends a transaction which
 * has no BEGIN, after the statement that writes was bound.
 */
function commits(): (message: Buffer) => boolean {
  let isWriting = false
  return (message) => {
    const letter = message[0]
    const start = message.toString('latin1', 5, Math.min(message.length, 80))
    if (letter === QUERY) return /^\s*commit\b/i.test(start)
    if (letter === BIND) isWriting = start.startsWith(`\0${WRITE.name}\0`)
    if (letter !== SYNC || !isWriting) return false
    isWriting = false
    return true
  }
}
