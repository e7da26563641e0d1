import { writeFileSync } from 'node:fs'
import { quantile } from '../store/sample.ts'

const GOAL = 1.5
const FLOOR_MS = 2

interface Time {
  readonly ms: number
  /** Of the server, and of the database where that is another process. */
  readonly processor: number
}

interface Row {
  readonly store: string
  readonly name: string
  readonly size: number
  readonly p50: number
  readonly p99: number
  readonly processor: number
  /** How many times as much processor time as on the smallest. */
  readonly ratio: number
  /** Milliseconds that are allowed instead of a ratio. */
  readonly most: number | undefined
}

interface Note {
  readonly store: string
  readonly name: string
  readonly size: number
  readonly value: number
  readonly unit: string
}

export function createReport(sizes: readonly number[]) {
  const rows: Row[] = []
  const notes: Note[] = []
  const [smallest = 0, largest = 0] = [Math.min(...sizes), Math.max(...sizes)]

  function isFlat(own: readonly Row[]): boolean {
    const at = (size: number) => own.find((row) => row.size === size)
    const [first, last] = [at(smallest), at(largest)]
    if (!first || !last) return false
    if (last.most !== undefined) return last.p50 <= last.most
    return last.ratio <= GOAL || last.processor - first.processor <= FLOOR_MS
  }

  const grouped = () => [...Map.groupBy(rows, ({ store, name }) => `${store} ${name}`).values()]
  const failed = () => grouped().filter((own) => !isFlat(own)).length

  return {
    row(given: Omit<Row, 'p50' | 'p99' | 'processor' | 'ratio'> & { times: Time[]; of: Time[] }) {
      const { times, of, ...row } = given
      const processor = quantile(
        times.map((one) => one.processor),
        0.5,
      )
      rows.push({
        ...row,
        p50: quantile(
          times.map(({ ms }) => ms),
          0.5,
        ),
        p99: quantile(
          times.map(({ ms }) => ms),
          0.99,
        ),
        processor,
        ratio:
          processor /
          quantile(
            of.map((one) => one.processor),
            0.5,
          ),
      })
    },
    note: (note: Note) => void notes.push(note),
    failed,
    print(): void {
      for (const store of new Set([...rows, ...notes].map((row) => row.store))) {
        process.stdout.write(`\n${store}: p50 in ms (processor time in ms)\n`)
        for (const own of grouped().filter(([row]) => row?.store === store)) {
          const [first] = own
          const ratio = own.find(({ size }) => size === largest)?.ratio ?? Number.NaN
          const cells = own.map(({ p50, processor }) =>
            `${p50.toFixed(1)} (${processor.toFixed(1)})`.padStart(18),
          )
          const said = isFlat(own) ? '' : first?.most === undefined ? '  grows' : '  too long'
          process.stdout.write(
            `${first?.name.padEnd(34)}${cells.join('')}${`× ${ratio.toFixed(2)}`.padStart(9)}${said}\n`,
          )
        }
        for (const [name, own] of Map.groupBy(
          notes.filter((one) => one.store === store),
          (one) => one.name,
        )) {
          const cells = sizes.map(
            (size) => own.find((one) => one.size === size)?.value ?? Number.NaN,
          )
          const shown = cells.map((value) => value.toFixed(1).padStart(18)).join('')
          process.stdout.write(`${name.padEnd(34)}${shown} ${own[0]?.unit ?? ''}\n`)
        }
      }
      const missed = failed()
      process.stdout.write(
        `\nGoal: at most × ${GOAL} of the processor time, or ${FLOOR_MS} ms more; insights within a second. ${missed === 0 ? 'Met by all.' : `Missed by ${missed}.`}\n`,
      )
    },
    write: (file: string) =>
      writeFileSync(file, JSON.stringify({ goal: GOAL, floor: FLOOR_MS, rows, notes }, null, 1)),
  }
}
