import { Client } from 'pg'
import type { Ran, Run } from '../cycle/contestant.ts'
import { syncsDuring } from '../cycle/written.ts'

/** What one cycle writes, with one caller: figures that do not depend on how busy the machine is. */
export interface Counted {
  /** Transactions of Postgres that wrote something. */
  readonly transactions?: number
  /** Syncs of the process and what it started; of the server where that keeps everything. */
  readonly syncs?: number
}

interface Counting {
  readonly run: (run: Run) => Promise<Ran>
  /** Whose syncs are counted. */
  readonly pid: number
  /** Where transactions are counted. */
  readonly url?: string | undefined
}

const ONE = { callers: 1, seconds: 2 }

export async function counted({ run, pid, url }: Counting): Promise<Counted> {
  let cycles = 0
  const playing = async () => {
    cycles = (await run(ONE)).cycles
  }
  const before = await newestTransaction(url)
  const syncs = await syncsDuring(pid, playing)
  const after = await newestTransaction(url)
  return {
    ...(before === undefined || after === undefined
      ? {}
      : { transactions: (after - before - 1) / cycles }),
    ...(syncs === undefined ? {} : { syncs: syncs / cycles }),
  }
}

/** Postgres numbers those that write, and no others; asking takes a number too. */
async function newestTransaction(url: string | undefined): Promise<number | undefined> {
  if (url === undefined) return undefined
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query('select pg_current_xact_id()::text as id')
  await client.end()
  return Number(rows[0].id)
}
