import type { Figures } from '../../../../src/api/insights.ts'

/** How a question can end, in the order in which bars are stacked. */
export const ENDS = [
  { name: 'Approved', fill: 'fill-good', mark: 'bg-good', of: ({ approved }: Figures) => approved },
  { name: 'Denied', fill: 'fill-bad', mark: 'bg-bad', of: ({ denied }: Figures) => denied },
  { name: 'Expired', fill: 'fill-warn', mark: 'bg-warn', of: ({ expired }: Figures) => expired },
  {
    name: 'Withdrawn or void',
    fill: 'fill-ink-3',
    mark: 'bg-ink-3',
    of: ({ other }: Figures) => other,
  },
  { name: 'Still open', fill: 'fill-open', mark: 'bg-open', of: openOf },
] as const

/** Asked and not over when it was counted. */
function openOf({ asked, approved, denied, expired, other }: Figures): number {
  return Math.max(0, asked - approved - denied - expired - other)
}

export const number = (n: number) => n.toLocaleString('en')

export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
}
