import type { Family, Labels } from '../../gate/metrics/family.ts'
import { labelsText, prometheusName, sample } from './exposition.ts'

/** Observed values in buckets, each counted once; they are summed up when they are read. */
export class Histogram {
  readonly #family: Family
  readonly #counts: number[]
  #sum = 0

  constructor(family: Family) {
    this.#family = family
    this.#counts = Array.from({ length: this.#bounds.length + 1 }, () => 0)
  }

  get #bounds(): readonly number[] {
    return this.#family.bounds ?? []
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  lines(given: Labels): string[] {
    const name = prometheusName(this.#family)
    const labels = labelsText(given)
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
