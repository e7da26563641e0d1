import { expect, test } from 'vitest'
import type { Ask, Defaults } from '../document.ts'
import { plainAsk } from './declared.ts'
import type { Looked } from './judge.ts'
import { mergeTerms, requirementOf } from './merge.ts'
import { type Path, parsePath } from './path.ts'

const HOUR = 3_600_000

function asking(ask: Partial<Ask> = {}, defaults: Defaults = {}): Looked {
  return {
    layer: 'governance',
    source: 'governance',
    rule: 'governance.a',
    answer: 'yes',
    level: ask.approvers || ask.quorum || defaults.approvers ? 2 : 1,
    ask: { ...plainAsk('governance.a'), ...ask },
    defaults,
    findings: [],
  }
}

function paths(...texts: string[]): Path[] {
  return texts.map((text) => {
    const path = parsePath(text)
    if (!path.ok) throw new Error(path.problem)
    return path.value
  })
}

test('nothing is set: a day to decide, a quarter of an hour to use', () => {
  expect(mergeTerms([asking()], {}, undefined)).toEqual({
    decideBy: 24 * HOUR,
    useBy: HOUR / 4,
    waitFor: undefined,
    remindAfter: undefined,
    minAssurance: 'elicitation',
    reason: 'optional',
    edit: true,
    grants: true,
  })
})

test.each<[string, Looked[], Defaults, object]>([
  [
    'the shortest clocks',
    [asking({ decideBy: 3, useBy: 8 }), asking({ decideBy: 5, useBy: 2 })],
    {},
    { decideBy: 3, useBy: 2 },
  ],
  [
    'the owner’s default for a rule that leaves it open',
    [asking(), asking({ decideBy: 5 })],
    { decideBy: 3 },
    { decideBy: 3 },
  ],
  ['an own value before the default', [asking({ decideBy: 5 })], { decideBy: 3 }, { decideBy: 5 }],
  [
    'nothing from a silent rule where the owner asks',
    [{ ...asking({ decideBy: 8 }), layer: 'owner' }, asking()],
    { decideBy: 3 },
    { decideBy: 8 },
  ],
  [
    'no longer clock than the owner left to the defaults',
    [{ ...asking(), layer: 'owner' }, asking({ decideBy: 48 * HOUR, useBy: HOUR })],
    {},
    { decideBy: 24 * HOUR, useBy: HOUR / 4 },
  ],
  [
    'the owner’s defaults where no rule asks for anything',
    [asking()],
    { decideBy: 7, useBy: 6 },
    { decideBy: 7, useBy: 6 },
  ],
  [
    'the earliest reminder',
    [asking({ remindAfter: 9 }), asking({ remindAfter: 4 }), asking()],
    {},
    { remindAfter: 4 },
  ],
  ['the wait of the owner', [asking()], { waitFor: 7 }, { waitFor: 7 }],
  [
    'the highest assurance',
    [asking({ minAssurance: 'chat' }), asking({ minAssurance: 'passkey' }), asking()],
    {},
    { minAssurance: 'passkey' },
  ],
  [
    'the strictest reason',
    [asking({ reason: 'required_always' }), asking({ reason: 'required' })],
    {},
    { reason: 'required_always' },
  ],
  [
    'grants only if no rule forbids them',
    [asking({ grants: true }), asking({ grants: false })],
    {},
    { grants: false },
  ],
])('takes %s', (_, looked, owner, terms) => {
  expect(mergeTerms(looked, owner, undefined)).toMatchObject(terms)
  expect(mergeTerms(looked.toReversed(), owner, undefined)).toMatchObject(terms)
})

test.each([
  ['L4', true],
  ['L5', false],
  [undefined, true],
] as const)('grants at risk %s: %s', (risk, grants) => {
  expect(mergeTerms([asking({ grants: true })], {}, risk).grants).toBe(grants)
})

test.each<[string, (boolean | Path[])[], boolean | string[]]>([
  ['all may change all', [true, true], true],
  ['one forbids', [true, paths('a'), false], false],
  ['one limits', [true, paths('a', 'b')], ['a', 'b']],
  ['what both name', [paths('a', 'b'), paths('c', 'b')], ['b']],
  ['nothing in common', [paths('a'), paths('b')], false],
  ['the deeper of two', [paths('a'), paths('a.b.c')], ['a.b.c']],
  ['several inside one', [paths('a'), paths('a.c', 'a.b', 'b')], ['a.b', 'a.c']],
  ['a key with a dot is not a path', [paths('a'), paths('a\\.b')], false],
  ['three sources', [paths('a'), paths('a.b'), paths('a.b.c', 'x')], ['a.b.c']],
  ['nothing stays nothing', [paths('a'), paths('b'), true], false],
])('what may be changed: %s', (_, rules, expected) => {
  const shown = (looked: Looked[]) => {
    const { edit } = mergeTerms(looked, {}, undefined)
    return typeof edit === 'boolean' ? edit : edit.map(({ text }) => text)
  }
  const looked = rules.map((edit) => asking({ edit }))
  expect(shown(looked)).toEqual(expected)
  expect(shown(looked.toReversed())).toEqual(expected)
})

const ana = [{ email: 'ana@example.com' }]
const quorum = [{ group: 'finance', n: 2 }]

test.each<[string, Looked, object]>([
  ['no person is named', asking(), { level: 'confirm', approvers: [], quorum: [] }],
  ['approvers', asking({ approvers: ana }), { level: 'review', approvers: ana, quorum: [] }],
  ['a quorum', asking({ quorum }), { level: 'review', approvers: [], quorum }],
  [
    'approvers by default',
    asking({}, { approvers: ana }),
    { level: 'review', approvers: ana, quorum: [] },
  ],
  [
    'own approvers before the default',
    asking({ approvers: ['*'] }, { approvers: ana }),
    { approvers: ['*'] },
  ],
  [
    'a quorum instead of the default',
    asking({ quorum }, { approvers: ana }),
    { approvers: [], quorum },
  ],
  ['both', asking({ quorum, approvers: ana }), { approvers: ana, quorum }],
  [
    'escalation',
    asking({ escalate: [{ after: 5, to: '*' }] }),
    { escalate: [{ after: 5, to: '*' }] },
  ],
])('who must say yes: %s', (_, looked, requirement) => {
  expect(requirementOf(looked)).toMatchObject({
    source: 'governance',
    rule: 'governance.a',
    ...requirement,
  })
})
