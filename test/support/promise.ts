import { test } from 'vitest'
import type { PromiseId } from '../../promises/all.ts'

/** Ids are written out where they are cited: the check that none is missing reads the source. */
export type Cited = readonly [PromiseId, ...PromiseId[]]

/** A test that keeps promises. An id that does not exist does not compile. */
export function promise(
  ids: Cited,
  title: string,
  run: () => void | Promise<void>,
  timeout?: number,
): void {
  test(titled(title, ids), run, timeout)
}

/** The same for a table; the first cell of each row names it. */
promise.each = <Row extends readonly [string, ...unknown[]]>(
  ids: Cited,
  title: string,
  rows: readonly Row[],
  run: (...row: Row) => void | Promise<void>,
  timeout?: number,
): void => {
  // A table without rows would keep a promise by testing nothing.
  if (rows.length === 0) throw new Error(`no rows for: ${title}`)
  for (const row of rows) test(titled(`${title}: ${row[0]}`, ids), () => run(...row), timeout)
}

function titled(title: string, ids: Cited): string {
  return `${title} (${ids.join(', ')})`
}
