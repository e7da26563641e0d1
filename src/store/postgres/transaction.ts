import type { Client, Connection, Submittable } from 'pg'

/** Prepared under its name, once in each connection. */
export interface Statement {
  readonly name: string
  readonly text: string
}

export type Value = string | number | boolean | null | Buffer
/** The columns of a row as the server writes them. */
export type Fields = readonly (string | null)[]

/** The connection was lost after the last statement was sent: whether it was committed is unknown. */
export class CommitUnknown extends Error {}

interface Awaited {
  readonly resolve: (rows: readonly Fields[]) => void
  readonly reject: (error: Error) => void
}

/**
 * One transaction in two round trips. What is sent up to a Sync of the protocol is one transaction,
 * without BEGIN and COMMIT: the first statement is only flushed, so that the server answers and
 * keeps its locks, and the last one is followed by the Sync that commits both.
 */
export class Transaction implements Submittable {
  readonly #client: Client
  readonly #isPrepared: boolean
  #connection: Connection | undefined
  #queued: (() => void) | undefined
  #awaited: Awaited | undefined
  #rows: Fields[] = []
  #failed: Error | undefined
  /** The Sync was sent: nothing can follow. */
  #isLast = false
  /** The last statement succeeded, and its Sync was not answered yet. */
  #isWritten = false
  /** Of the statement under way; the driver notes by it what is prepared. */
  name = ''
  text = ''
  /** The driver calls this too, when the server takes too long, and replaces it by its own. */
  callback: (error?: Error) => void = () => {}

  constructor(client: Client) {
    this.#client = client
    this.#isPrepared = !unprepared.has(client)
  }

  /** Sends a statement and keeps the transaction open. */
  read(statement: Statement, values: readonly Value[]): Promise<readonly Fields[]> {
    return this.#expect(() => this.#send(statement, values, 'flush'))
  }

  /**
   * Sends the last statement. Resolves when it is committed; rejects with the server's refusal when
   * all of it was rolled back, and with `CommitUnknown` when nothing is known.
   */
  async commit(statement: Statement, values: readonly Value[]): Promise<void> {
    await this.#expect(() => {
      this.#isLast = true
      this.#send(statement, values, 'sync')
    })
  }

  /**
   * Sends the one statement of a transaction, at once, even while the server is busy with the one
   * before on the same connection: it then begins without waiting for us. At most one may wait so.
   */
  whole(statement: Statement, values: readonly Value[]): Promise<readonly Fields[]> {
    return this.#expect(
      () => {
        this.#isLast = true
        this.#send(statement, values, 'sync')
      },
      isPrepared(this.#client, statement),
    )
  }

  /** Ends it without having written anything: its locks go. */
  release(): void {
    if (!this.#failed && !this.#isLast) this.#sync()
  }

  submit(connection: Connection): void {
    this.#connection = connection
    // What was sent ahead is answered from now on.
    this.#queued?.()
    this.#queued = undefined
  }

  // What the driver calls while this is the query under way.

  handleDataRow({ fields }: { readonly fields: Fields }): void {
    this.#rows.push(fields)
  }

  handleCommandComplete(): void {
    if (this.#isLast) this.#isWritten = true
    else this.#answer()
  }

  handleReadyForQuery(): void {
    // In a transaction that an earlier BEGIN left open, a Sync commits nothing.
    if (this.#client.getTransactionStatus() === 'I') this.#answer()
    else this.#fail(new Error('the connection was inside of another transaction'))
    this.callback()
  }

  handleError(error: Error): void {
    if (this.#failed) return
    const isKnown = 'severity' in error && !this.#isWritten && !isEnding(error)
    const isUnknown = this.#isLast && this.#awaited !== undefined && !isKnown
    this.#fail(isUnknown ? new CommitUnknown('no answer to a commit', { cause: error }) : error)
    // The server skips everything up to the next Sync.
    if (!this.#isLast) this.#sync()
    this.callback()
  }

  handleRowDescription(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  #expect(send: () => void, isAhead = false): Promise<readonly Fields[]> {
    return new Promise((resolve, reject) => {
      if (this.#failed) {
        reject(this.#failed)
        return
      }
      this.#awaited = { resolve, reject }
      if (this.#connection) send()
      else if (isAhead) {
        this.#connection = wireOf(this.#client) as unknown as Connection
        send()
        this.#client.query(this)
      } else {
        this.#queued = send
        this.#client.query(this)
      }
    })
  }

  #send({ name: known, text }: Statement, values: readonly Value[], end: 'flush' | 'sync'): void {
    const connection = this.#connection as Wire | undefined
    if (!connection) return
    // The next transaction may meet a connection of the server that has never seen the name.
    const name = this.#isPrepared ? known : ''
    this.#rows = []
    this.name = name
    this.text = text
    // In one packet, if it fits into one.
    connection.stream.cork()
    if (connection.parsedStatements[name] === undefined) connection.parse({ name, text })
    const texts = values.map((one) => (one === null || Buffer.isBuffer(one) ? one : String(one)))
    connection.bind({ statement: name, values: texts })
    connection.execute()
    connection[end]()
    connection.stream.uncork()
  }

  #sync(): void {
    this.#isLast = true
    this.#connection?.sync()
  }

  #answer(): void {
    this.#awaited?.resolve(this.#rows)
    this.#awaited = undefined
  }

  #fail(error: Error): void {
    this.#failed = error
    this.#awaited?.reject(error)
    this.#awaited = undefined
  }
}

const unprepared = new WeakSet<Client>()

/** Behind a pooler nothing is prepared: see `isPooled`. */
export function neverPrepare(client: Client): void {
  unprepared.add(client)
}

/** Whether the server knows a statement on this connection: otherwise one may not be sent twice. */
export function isPrepared(client: Client, { name }: Statement): boolean {
  return wireOf(client).parsedStatements[name] !== undefined
}

function wireOf(client: Client): Wire {
  return (client as unknown as { readonly connection: Wire }).connection
}

/** What of the driver's connection its types leave out. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void }
  readonly parsedStatements: Readonly<Record<string, string>>
  parse(statement: Statement): void
  bind(config: { statement: string; values: readonly (string | Buffer | null)[] }): void
  execute(): void
  flush(): void
  sync(): void
}

/** Said by a server, or by a proxy in front of it, that goes away: it may have committed before. */
function isEnding(error: Error): boolean {
  return 'code' in error && /^(08|57P)/.test(String(error.code))
}

const TEXT = 25
const NULL = -1

/** Without dimensions there are no lengths either. */
const NO_TEXTS = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, TEXT])

/** Of a number, written out. */
const MOST_DIGITS = 24

/** A `text[]` as the server keeps it: nothing in it has to be quoted, here or there. */
export function textArray(values: readonly (string | number | null)[]): Buffer {
  if (values.length === 0) return NO_TEXTS
  let most = 20
  for (const value of values) {
    most += 4 + (typeof value === 'string' ? 3 * value.length : MOST_DIGITS)
  }
  const buffer = Buffer.allocUnsafe(most)
  let hasNull = false
  let at = 20
  for (const value of values) {
    if (value === null) hasNull = true
    const bytes = value === null ? 0 : buffer.write(String(value), at + 4)
    buffer.writeInt32BE(value === null ? NULL : bytes, at)
    at += 4 + bytes
  }
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(hasNull ? 1 : 0, 4)
  buffer.writeInt32BE(TEXT, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
  return buffer.subarray(0, at)
}
