import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../audit/chain.ts'

/** Places in the feed of one database. Those of another database, or of its past, are unknown. */
export interface Cursors {
  read(
    text: string,
    named: { readonly start: readonly number[]; readonly end: readonly number[] },
  ): readonly number[]
  write(numbers: readonly number[]): string
  unknown(): CountersignError
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

export function createCursors(database: string, tenant: string): Cursors {
  const prefix = sha256(JSON.stringify([database, tenant])).slice(0, 8)

  function unknown(): CountersignError {
    return new CountersignError('cursor_unknown', 'this place in the feed is not known here', {
      hint: 'Read the current state again, and follow the feed from its end.',
    })
  }

  return {
    read(text, { start, end }) {
      if (text === 'start') return start
      if (text === 'end') return end
      const [database, ...numbers] = text.split('.')
      const isOurs = database === prefix && numbers.length === start.length
      if (!isOurs || !numbers.every((number) => /^\d{1,15}$/.test(number))) throw unknown()
      return numbers.map(Number)
    },
    write: (numbers) => [prefix, ...numbers].join('.'),
    unknown,
  }
}

export function feedLimit(limit = DEFAULT_LIMIT): number {
  return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), MAX_LIMIT) : DEFAULT_LIMIT
}
