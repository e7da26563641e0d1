/*
 * What a server counts, as `/metrics` says it. As much of the text format of Prometheus as our own
 * exposition writes.
 */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g

export function readSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', number] = LINE.exec(line) ?? []
    const value = Number(number)
    if (name === undefined || Number.isNaN(value)) return []
    const read = [...labels.matchAll(LABEL)].map(([, key = '', quoted = '']) => [
      key,
      quoted.replaceAll(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char)),
    ])
    return [{ name, labels: Object.fromEntries(read), value }]
  })
}

type Labels = Sample['labels']

/** Everything that was measured at one moment. */
export class Reading {
  readonly at: number
  readonly #byName: ReadonlyMap<string, readonly Sample[]>

  constructor(text: string, at: number) {
    this.at = at
    this.#byName = Map.groupBy(readSamples(text), ({ name }) => name)
  }

  of(name: string): readonly Sample[] {
    return this.#byName.get(name) ?? []
  }

  /** The sum over all samples with these labels; undefined where there is none. */
  sum(name: string, labels: Labels = {}): number | undefined {
    const found = this.of(name).filter((one) => hasAll(one.labels, labels))
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
  }
}

function hasAll(labels: Labels, wanted: Labels): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value)
}

/** How much a counter grew in a second. A server that was started again counts from 0. */
export function rate(
  before: Reading | undefined,
  now: Reading,
  name: string,
  labels: Labels = {},
): number | undefined {
  const [was = 0, is] = [before?.sum(name, labels), now.sum(name, labels)]
  if (before === undefined || is === undefined || now.at <= before.at) return undefined
  return (is >= was ? is - was : is) / ((now.at - before.at) / 1_000)
}

/** The bound below which this share of a histogram lies, as Prometheus would place it. */
export function quantile(now: Reading, name: string, share: number, labels: Labels = {}) {
  const counts = new Map<number, number>()
  for (const one of now.of(`${name}_bucket`)) {
    if (!hasAll(one.labels, labels)) continue
    const bound = one.labels.le === '+Inf' ? Number.POSITIVE_INFINITY : Number(one.labels.le)
    counts.set(bound, (counts.get(bound) ?? 0) + one.value)
  }
  const bounds = [...counts].sort(([one], [two]) => one - two)
  const all = bounds.at(-1)?.[1] ?? 0
  if (all === 0) return undefined
  const wanted = share * all
  let [low, below] = [0, 0]
  for (const [bound, count] of bounds) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return low
      return low + (bound - low) * ((wanted - below) / (count - below))
    }
    ;[low, below] = [bound, count]
  }
  return low
}
