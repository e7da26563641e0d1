import { expect, test } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { promise } from '../../../test/support/promise.ts'
import type { ApprovalCard, ApprovalPage } from '../../api/approval.ts'
import { frame } from './frame.ts'
import { type Meaning, meaningOf } from './keys.ts'
import { type Action, bodyLines, firstState, reduce, type State } from './state.ts'

const FORM = {
  type: 'object',
  required: ['amount', 'account'],
  properties: {
    amount: {
      type: 'integer',
      title: 'Release\u001b[2J',
      description: 'As computed by Countersign',
      maximum: 500,
    },
    account: {
      oneOf: [
        { const: 'm', title: 'Main' },
        { const: 's', title: 'Savings' },
      ],
    },
    tags: { type: 'array', items: { enum: ['x', 'y'] } },
    note: { type: 'string', maxLength: 900 },
    pin: { type: 'string', 'x-secret': true },
  },
}
const ASKED: ApprovalCard = { ...CARD, arguments: '{}', form: FORM }

function opened(card: ApprovalCard = ASKED): State {
  const page: ApprovalPage = { approvals: [card], counts: { mine: 1, others: 0 }, now: 0 }
  const actions: Action[] = [
    { type: 'listed', page, at: 0 },
    { type: 'carded', card },
    ...Array.from({ length: 20 }, (): Action => ({ type: 'scroll', by: 'page' })),
  ]
  return actions.reduce(reduce, firstState(110, 40))
}

/** Types this into the prompt and presses Enter. */
function enter(state: State, text: string): { state: State; meaning: Meaning | undefined } {
  let now = state
  while ((now.prompt?.text ?? '') !== '') now = press(now, { text: '', name: 'backspace' }).state
  now = text === '' ? now : press(now, { text }).state
  return press(now, { text: '', name: 'enter' })
}

function press(state: State, key: Parameters<typeof meaningOf>[1]) {
  const meaning = meaningOf(state, key, 0)
  const isAction =
    meaning !== undefined && !['decide', 'quit', 'again', 'reveal'].includes(meaning.type)
  return { state: isAction ? reduce(state, meaning as Action) : state, meaning }
}

const screen = (state: State) =>
  frame(state, 0)
    .map((line) => line.map(({ text }) => text).join(''))
    .join('\n')

promise(['CS-FORM-9'], 'the form is asked field by field, and a yes sends what was typed', () => {
  let { state } = press(opened(), { text: 'a' })
  expect(screen(state)).toContain('1 of 5  amount: ▏')
  // The asker's words stand after a mark, and cannot draw on the screen.
  expect(screen(state)).toContain('> Release‹U+001B›[2J · As computed by Countersign')
  expect(screen(state)).not.toContain('\u001b')
  state = enter(state, '').state
  expect(screen(state)).toContain('Fill this in.')
  state = enter(state, '501').state
  expect(screen(state)).toContain('At most 500.')
  state = enter(state, '120').state
  expect(screen(state)).toContain('choose one: 1 Main, 2 Savings')
  state = enter(state, 'third').state
  expect(screen(state)).toContain('Choose one of 1 Main, 2 Savings.')
  state = enter(state, '2').state
  state = enter(state, 'y,x').state
  state = enter(state, '').state
  state = press(state, { text: 'hunter' }).state
  expect(screen(state)).toContain('••••••')
  expect(screen(state)).not.toContain('hunter')
  state = press(state, { text: '', name: 'enter' }).state
  expect(screen(state)).toContain('Type the last four characters of the digest to approve')
  expect(screen(state)).toContain('"pin":"[secret]"')
  expect(enter(state, 'abcd').meaning).toEqual({
    type: 'decide',
    id: CARD.id,
    body: {
      verdict: 'approve',
      digest: CARD.digest,
      payload: { amount: 120, account: 's', tags: ['x', 'y'], pin: 'hunter' },
    },
  })
})

test('the form has to be read like the rest of the card, and Esc decides nothing', () => {
  const lines = bodyLines(opened()).join('\n')
  expect(lines).toContain('To fill in with a yes, in the words of the asker')
  expect(lines).toContain('  amount (required): whole number, up to 500')
  expect(lines).toContain('    > Release‹U+001B›[2J')
  const asking = press(opened(), { text: 'a' }).state
  expect(press(asking, { text: '', name: 'escape' }).state.prompt).toBe(undefined)
})

test('the answers of another approver stand in the fields, unchanged where they are kept', () => {
  const by = { issuer: 'local', subject: 'bo' }
  const payload = { amount: 7, account: 'm', tags: ['y'], note: 'one\ntwo' }
  const decision = { by, verdict: 'approve', at: 0, digest: CARD.digest, payload } as const
  const card: ApprovalCard = { ...ASKED, decisions: [{ ...decision, assurance: 'signed-in' }] }
  let { state } = press(opened(card), { text: 'a' })
  expect(bodyLines(state).join('\n')).toContain('answered {"amount":7')
  for (const text of ['7', 'm', 'y', 'one two', '']) {
    expect(state.prompt?.text).toBe(text)
    state = press(state, { text: '', name: 'enter' }).state
  }
  expect(enter(state, 'abcd').meaning).toMatchObject({ body: { payload } })
})

test('values that are numbers are chosen by value and never by place', () => {
  const form = { type: 'object', required: ['n'], properties: { n: { enum: [2, 1] } } }
  let { state } = press(opened({ ...ASKED, form }), { text: 'a' })
  expect(screen(state)).toContain('choose one: 2, 1')
  state = enter(state, '1').state
  expect(screen(state)).toContain('Your answers: {"n":1}')
})
