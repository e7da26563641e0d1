/** Which of the waiting calls the list shows, and in which order. */

import type { ApprovalRow } from '../../../../src/api/approval.ts'
import type { ListRequest } from '../../api/approvals.ts'
import { msg } from '../../lib/language/t.ts'

export interface ListView {
  readonly order: ListRequest['order']
  readonly whose: 'mine' | 'others' | 'all'
  readonly from: 0 | 2 | 3 | 4
  readonly find: string
  /** The agent as people know it. Empty: any; the same for the others. */
  readonly agent: string
  /** As in the list: `server/tool`. */
  readonly tool: string
  /** Whom the agent works for. */
  readonly person: string
  readonly asked: keyof typeof ASKED
}

const HOUR = 3_600_000

/** How long ago a call was asked, at most. */
export const ASKED = {
  any: { name: msg('Any time'), within: Number.POSITIVE_INFINITY },
  hour: { name: msg('Last hour'), within: HOUR },
  day: { name: msg('Last 24 hours'), within: 24 * HOUR },
  week: { name: msg('Last 7 days'), within: 168 * HOUR },
} as const

export const FIRST_VIEW: ListView = {
  order: 'risk',
  whose: 'mine',
  from: 0,
  find: '',
  agent: '',
  tool: '',
  person: '',
  asked: 'any',
}

type Row = Pick<
  ApprovalRow,
  'mine' | 'risk' | 'agent' | 'tool' | 'server' | 'principal' | 'askedAt'
>

export function toolOf({ tool, server }: Pick<ApprovalRow, 'tool' | 'server'>): string {
  return server === undefined ? tool : `${server}/${tool}`
}

export function isWhose({ mine }: Pick<Row, 'mine'>, { whose }: Pick<ListView, 'whose'>): boolean {
  return whose === 'all' || mine.may === (whose === 'mine')
}

/** A call without a rating passes every filter by risk: it may be anything. */
export function fits(row: Row, view: ListView, now: number): boolean {
  const level = row.risk === undefined ? 5 : Number(row.risk.slice(1))
  const is = (wanted: string, value: string | undefined) => wanted === '' || value === wanted
  return (
    isWhose(row, view) &&
    level >= view.from &&
    is(view.agent, row.agent) &&
    is(view.tool, toolOf(row)) &&
    is(view.person, row.principal) &&
    now - row.askedAt <= ASKED[view.asked].within
  )
}

const NAMES = { from: 'risk', find: 'q' } as const
const nameOf = (key: string) => NAMES[key as keyof typeof NAMES] ?? key
const WORDS = {
  order: ['risk', 'deadline', 'newest'],
  whose: ['mine', 'others', 'all'],
  from: ['0', '2', '3', '4'],
  asked: Object.keys(ASKED),
} as const

/** Addresses are typed by people, too: a word of another kind is as good as absent. */
export function readView(params: URLSearchParams): ListView {
  const read = Object.entries(FIRST_VIEW).map(([key, usual]) => {
    const text = params.get(nameOf(key))
    const words: readonly string[] | undefined = WORDS[key as keyof typeof WORDS]
    if (text === null || words?.includes(text) === false) return [key, usual]
    return [key, key === 'from' ? Number(text) : text]
  })
  return Object.fromEntries(read) as ListView
}

/** Only what differs from the usual stands in an address. */
export function writeView(view: ListView): string {
  const params = new URLSearchParams()
  for (const [key, value] of Object.entries(view)) {
    if (value !== FIRST_VIEW[key as keyof ListView]) params.set(nameOf(key), String(value))
  }
  return params.toString()
}

/** Whether the list leaves calls out, apart from whose they are, or has an order of its own. */
export function isFiltered({ whose: _, find: __, ...view }: ListView): boolean {
  return writeView({ ...FIRST_VIEW, ...view }) !== ''
}
