/*
 * What is measured, once for every reader. Names follow OpenTelemetry; the name for Prometheus comes
 * from the same name, type and unit, so dashboards and alerts work for both.
 */

export type Labels = Readonly<Record<string, string | number>>

export interface Family {
  /** With dots, and without the unit. */
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  /** As UCUM: seconds, bytes, or what is counted. */
  readonly unit: 's' | 'By' | `{${string}}`
  /** Upper bounds of a histogram's buckets. */
  readonly bounds?: readonly number[]
}

/** One family as it is now. */
export interface Reading {
  readonly family: Family
  readonly samples: readonly (readonly [labels: Labels, value: number])[]
}

/** Takes measurements to a collector. Nothing in it throws. */
export interface Meter {
  /** False while measurements go nowhere. */
  readonly isHeard: boolean
  count(family: Family, labels: Labels): void
  record(family: Family, labels: Labels, value: number): void
  /** Reads counters and gauges whenever measurements are collected, until the returned function is called. */
  observe(source: Source): () => void
}

export interface Source {
  readonly families: readonly Family[]
  read(): Promise<readonly Reading[]>
}

/** A family that has one value. */
export function single(family: Family, value: number): Reading {
  return { family, samples: [[{}, value]] }
}
