import type { Client, Connection, Submittable } from 'pg'

/** What the driver's connection can do and its types leave out. */
interface CopyConnection {
  query(text: string): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

type Cell = string | number | bigint | null | Uint8Array

const AT_ONCE = 512 * 1_024

/** `copy … from stdin`: rows of a table as fast as the server takes them, in one transaction. */
export function copyRows(
  client: Client,
  into: string,
  rows: Iterable<readonly unknown[]>,
): Promise<void> {
  return new Promise((resolve, reject) => client.query(new Copy(into, rows, resolve, reject)))
}

class Copy implements Submittable {
  readonly #into: string
  readonly #rows: Iterable<readonly unknown[]>
  readonly #done: () => void
  readonly #failed: (error: Error) => void
  #error: Error | undefined

  constructor(
    into: string,
    rows: Iterable<readonly unknown[]>,
    done: () => void,
    failed: (error: Error) => void,
  ) {
    this.#into = into
    this.#rows = rows
    this.#done = done
    this.#failed = failed
  }

  submit(connection: Connection): void {
    ;(connection as unknown as CopyConnection).query(`copy ${this.#into} from stdin`)
  }

  handleCopyInResponse(connection: CopyConnection): void {
    let lines: string[] = []
    let length = 0
    for (const row of this.#rows) {
      const line = row.map((cell) => cellText(cell as Cell)).join('\t')
      lines.push(line)
      length += line.length
      if (length < AT_ONCE) continue
      connection.sendCopyFromChunk(Buffer.from(`${lines.join('\n')}\n`))
      lines = []
      length = 0
    }
    if (lines.length > 0) connection.sendCopyFromChunk(Buffer.from(`${lines.join('\n')}\n`))
    connection.endCopyFrom()
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#error ??= error
  }

  handleReadyForQuery(): void {
    if (this.#error) this.#failed(this.#error)
    else this.#done()
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function cellText(cell: Cell): string {
  if (cell === null) return '\\N'
  if (typeof cell !== 'string') return String(cell)
  return /[\\\n\r\t]/.test(cell) ? cell.replace(/[\\\n\r\t]/g, (one) => ESCAPES[one] ?? one) : cell
}
