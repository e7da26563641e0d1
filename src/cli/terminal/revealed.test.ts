import { expect } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { promise } from '../../../test/support/promise.ts'
import type { ApprovalCard } from '../../api/approval.ts'
import { frame } from './frame.ts'
import { meaningOf } from './keys.ts'
import { SHOWN_MS } from './revealed.ts'
import { type Action, allSeen, firstState, reduce, type State } from './state.ts'

const HIDDEN: ApprovalCard = {
  ...CARD,
  arguments: '{"memo":"short","pin":"[secret]"}',
  masked: [['pin']],
  can: ['approve', 'deny', 'reveal'],
}
const OTHER = { ...HIDDEN, id: 'id-2' }

const SHOWN: readonly Action[] = [
  {
    type: 'listed',
    page: { approvals: [HIDDEN, OTHER], counts: { mine: 2, others: 0 }, now: 0 },
    at: 0,
  },
  { type: 'carded', card: HIDDEN },
]
const { id, digest } = HIDDEN
const VALUE: Action = {
  type: 'revealed',
  revealed: { id, digest, path: ['pin'], value: 'canary', until: SHOWN_MS, top: 0 },
}

const after = (...actions: readonly Action[]) =>
  [...SHOWN, ...actions].reduce(reduce, firstState(110, 30))
const textOf = (state: State) =>
  frame(state, 0)
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n')

promise.each(
  ['CS-INBOX-20'],
  'a hidden value that is shown goes',
  [
    ['with its time', { type: 'ticked', at: SHOWN_MS }],
    ['with a key', { type: 'hide' }],
    ['when another call is chosen', { type: 'move', by: 1 }],
    ['when the card is left', { type: 'back' }],
    ['when help covers the card', { type: 'help', shown: true }],
    ['when the server is away', { type: 'lost', at: 0, why: 'gone' }],
    ['when the window is too small for a card', { type: 'resized', columns: 30, rows: 8 }],
    ['when the call changed', { type: 'carded', card: { ...HIDDEN, digest: 'e'.repeat(64) } }],
    ['when it may not be seen any more', { type: 'carded', card: { ...HIDDEN, can: ['deny'] } }],
  ] satisfies [string, Action][] as [string, Action][],
  (_, action) => {
    const shown = after(VALUE)
    expect(textOf(shown)).toContain('canary')
    const gone = reduce(shown, action)
    expect(gone.revealed).toBe(undefined)
    expect(textOf(gone)).not.toContain('canary')
  },
)

promise(['CS-INBOX-20'], 'a value that comes after its card was left is not shown', () => {
  expect(after({ type: 'move', by: 1 }, VALUE).revealed).toBe(undefined)
  const changed = { ...HIDDEN, digest: 'e'.repeat(64) }
  expect(after({ type: 'carded', card: changed }, VALUE).revealed).toBe(undefined)
})

promise(['CS-INBOX-20'], 'while it covers the card nothing is decided and nothing read', () => {
  const first = after()
  expect(allSeen(first)).toBe(true)
  const covered = reduce(first, VALUE)
  const more = { ...HIDDEN, missing: ['name'] }
  expect(allSeen(reduce(covered, { type: 'carded', card: more }))).toBe(false)
  for (const text of ['a', 'd', 'r', 'x', '?']) {
    expect(meaningOf(covered, { text }, 0)).toEqual({ type: 'hide' })
  }
})

promise(['CS-INBOX-20'], 'a person who may not look is told, and the server is not asked', () => {
  const viewer = after({ type: 'carded', card: { ...HIDDEN, can: ['deny'] } })
  expect(meaningOf(viewer, { text: 'r' }, 0)).toMatchObject({ type: 'said' })
  const nothing = after({ type: 'carded', card: { ...HIDDEN, masked: [] } })
  expect(meaningOf(nothing, { text: 'r' }, 0)).toEqual({ type: 'again' })
})
