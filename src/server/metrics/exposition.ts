import type { Family, Labels, Reading } from '../../gate/metrics/family.ts'

/*
 * The text format of Prometheus. Names and numbers only; every value of a label is bounded or made
 * here, so that no caller can make counters without end.
 */

const UNITS: Readonly<Record<string, string>> = { s: '_seconds', By: '_bytes' }

/** As OpenTelemetry's own exporters for Prometheus write it, so that both ways give one name. */
export function prometheusName({ name, type, unit }: Family): string {
  return `${name.replaceAll('.', '_')}${UNITS[unit] ?? ''}${type === 'counter' ? '_total' : ''}`
}

export function labelsText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(String(value))}"`)
    .join(',')
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

export function readingText({ family, samples }: Reading): string[] {
  const name = prometheusName(family)
  return [
    ...headText(family),
    ...samples.map(([labels, value]) => sample(name, labelsText(labels), value)),
  ]
}

/** What stands before the samples of a family. */
export function headText(family: Family): string[] {
  const name = prometheusName(family)
  return [`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`]
}

export function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${value}` : `${name}{${labels}} ${value}`
}
