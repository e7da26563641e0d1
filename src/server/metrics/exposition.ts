/*
 * The text format of Prometheus. Names and numbers only; every value of a label is bounded or made
 * here, so that no caller can make counters without end.
 */

export type Labels = Readonly<Record<string, string | number>>

export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
}

export function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** A family with its samples: labels as text, and the number. */
export function familyText(
  { name, type, help }: Family,
  samples: Iterable<readonly [labels: string, value: number]>,
): string[] {
  const lines = [...samples].map(([labels, value]) => sample(name, labels, value))
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines]
}

export function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`
}

/** Observed values in buckets, each counted once; they are summed up when they are read. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  lines(name: string, labels: string): string[] {
    const before = labels === '' ? '' : `${labels},`
    let total = 0
    const buckets = this.#counts.map((count, at) => {
      total += count
      return sample(`${name}_bucket`, `${before}le="${this.#bounds[at] ?? '+Inf'}"`, total)
    })
    return [
      ...buckets,
      sample(`${name}_sum`, labels, Number(this.#sum.toFixed(6))),
      sample(`${name}_count`, labels, total),
    ]
  }
}
