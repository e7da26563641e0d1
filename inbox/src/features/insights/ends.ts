import type { Figures } from '../../../../src/api/history/insights.ts'
import { msg } from '../../lib/language/t.ts'

/** How a question can end, in the order in which bars are stacked. */
export const ENDS = [
  {
    name: msg('Approved'),
    fill: 'fill-good',
    mark: 'bg-good',
    of: ({ approved }: Figures) => approved,
  },
  { name: msg('Denied'), fill: 'fill-bad', mark: 'bg-bad', of: ({ denied }: Figures) => denied },
  {
    name: msg('Expired'),
    fill: 'fill-warn',
    mark: 'bg-warn',
    of: ({ expired }: Figures) => expired,
  },
  {
    name: msg('Withdrawn or void'),
    fill: 'fill-ink-3',
    mark: 'bg-ink-3',
    of: ({ other }: Figures) => other,
  },
  { name: msg('Still open'), fill: 'fill-open', mark: 'bg-open', of: openOf },
] as const

/** Asked and not over when it was counted. */
function openOf({ asked, approved, denied, expired, other }: Figures): number {
  return Math.max(0, asked - approved - denied - expired - other)
}

export function share(part: number, whole: number): string {
  return whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
}
