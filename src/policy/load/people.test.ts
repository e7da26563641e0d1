import { expect, test } from 'vitest'
import type { QuorumPart } from '../../base/oversight.ts'
import type { Group } from '../document.ts'
import { canFill } from './people.ts'

const groups = new Map<string, Group>([
  ['finance', { emails: ['ana@example.com', 'bo@example.com'] }],
  ['security', { emails: ['cy@example.com'] }],
  ['board', { emails: ['ana@example.com', 'cy@example.com'] }],
  ['shouting', { emails: ['ANA@example.com', 'ana@example.com'] }],
  ['empty', { emails: [] }],
  ['staff', { claim: 'department=it' }],
])

const of = (...parts: [group: string, n: number][]): QuorumPart[] =>
  parts.map(([group, n]) => ({ group, n }))

test.each<[string, QuorumPart[], boolean]>([
  ['one of two', of(['finance', 1]), true],
  ['two of two', of(['finance', 2]), true],
  ['three of two', of(['finance', 3]), false],
  ['one each of two groups', of(['finance', 1], ['security', 1]), true],
  ['one each where someone is in both', of(['board', 1], ['security', 1]), true],
  ['both of the board, who are also all of security', of(['board', 2], ['security', 1]), false],
  ['five places for three people', of(['finance', 2], ['security', 1], ['board', 2]), false],
  ['a seat that must be given up for another', of(['board', 1], ['finance', 2]), true],
  ['one person spelt twice', of(['shouting', 2]), false],
  ['no member', of(['empty', 1]), false],
  ['any number by claim', of(['staff', 100]), true],
  ['a claim beside too few', of(['staff', 1], ['security', 2]), false],
])('%s', (_, quorum, possible) => {
  expect(canFill(quorum, groups)).toBe(possible)
})
