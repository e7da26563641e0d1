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
