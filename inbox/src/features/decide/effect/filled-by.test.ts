import { expect, test } from 'vitest'
import { ANA, cardWith } from '../../../../test/approval-card.ts'
import { filledBy } from './filled-by.ts'

const rule = { source: 'tool', rule: 'tools.pay.approval', added: [], met: false }
const ofGroup = (group: string, people: readonly string[]) => ({
  ...rule,
  level: 'review' as const,
  approvers: [],
  people: [...people],
  quorum: [{ group, n: 1, have: 0 }],
})
const confirm = { ...rule, level: 'confirm' as const, approvers: [], quorum: [] }
const card = (...requirements: ReturnType<typeof cardWith>['requirements']) =>
  cardWith({ args: {}, tool: 'pay', requirements, mine: { may: true } }, 0)
const ana = 'ana@example.com'

test('a yes fills each rule that surely counts it', () => {
  const both = card(ofGroup('platform', [ana]), confirm)
  expect(filledBy(both, ANA, true)).toEqual({
    names: ['platform', 'the confirmation'],
    isAll: true,
  })
  expect(filledBy(both, ANA, false)).toEqual({ names: ['platform'], isAll: false })
})

test('a place that another person filled, or that the card cannot tell, is not promised', () => {
  const one = ofGroup('platform', [ana])
  const met = { ...one, met: true }
  expect(filledBy(card(met, ofGroup('legal', [])), ANA, true).names).toEqual([])
  const full = { ...one, quorum: [{ group: 'platform', n: 1, have: 1 }] }
  expect(filledBy(card(full), ANA, true).names).toEqual([])
  const two = { ...one, quorum: [...one.quorum, { group: 'legal', n: 1, have: 0 }] }
  expect(filledBy(card(two), ANA, true).names).toEqual([])
})

test('nothing is promised to a stand-in or to the person whom the agent works for', () => {
  const own = { ...card(ofGroup('platform', [ana])), principal: ana }
  expect(filledBy(own, ANA, true).names).toEqual([])
  const lent = { ...card(ofGroup('platform', [ana])), mine: { may: true as const, for: [ANA] } }
  expect(filledBy(lent, ANA, true).names).toEqual([])
})
