import { Client } from 'pg'
import type { Ran, Run } from '../cycle/contestant.ts'
import { processorOf, syncsDuring } from '../cycle/written.ts'

/** What one cycle writes, with one caller: figures that do not depend on how busy the machine is. */
export interface Counted {
  /** Transactions of Postgres that wrote something. */
  readonly transactions?: number
  /** Syncs of the process and what it started; of the server where that keeps everything. */
  readonly syncs?: number
  /** Processor time with 64 callers in milliseconds: of the process and the servers it uses. */
  readonly processor: number
}

interface Counting {
  readonly run: (run: Run) => Promise<Ran>
  /** Whose syncs are counted. */
  readonly pid: number
  /** Where transactions are counted. */
  readonly url?: string | undefined
  /** Whose processor time is counted. */
  readonly pids: readonly number[]
}

const ONE = { callers: 1, seconds: 2 }
const MANY = { callers: 64, seconds: 3 }

export async function counted({ run, pid, url, pids }: Counting): Promise<Counted> {
  let cycles = 0
  const playing = async () => {
    cycles = (await run(ONE)).cycles
  }
  const before = await newestTransaction(url)
  const syncs = await syncsDuring(pid, playing)
  const after = await newestTransaction(url)
  const used = () => pids.reduce((sum, one) => sum + processorOf(one), 0)
  const usedBefore = used()
  const many = await run(MANY)
  return {
    processor: (used() - usedBefore) / many.cycles,
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
