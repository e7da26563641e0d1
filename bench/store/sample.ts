/** The value below which this part of the samples lies. */
export function quantile(samples: readonly number[], part: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5)
}

/** What a loop of request → decision → claimed → finished did. Times in milliseconds. */
export interface Measured {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
}

export function measured(latencies: readonly number[], elapsed: number): Measured {
  return {
    perSecond: (latencies.length / elapsed) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  }
}
