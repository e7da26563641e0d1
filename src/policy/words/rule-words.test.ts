import { expect, test } from 'vitest'
import { loadOwner } from '../load/load.ts'
import { declarationWords, governanceWords } from './rule-words.ts'

function load(text: string) {
  const loaded = loadOwner({ file: 'countersign.yaml', text: `version: 1\n${text}\n` })
  if (!loaded.ok) throw new Error(loaded.mistakes[0]?.message)
  return loaded.document
}

test.each([
  ['true', 'always asks'],
  ['false', 'never asks'],
  ['{ condition: { args_match: { to: x } } }', 'asks when to is "x"'],
  [
    '{ condition: { args_match: { n: { gt: 1, lte: 5 } } } }',
    'asks when n is over 1 and is at most 5',
  ],
  [
    '{ condition: [{ args_match: { n: { gte: 1 }, m: { lt: 2 } } }, { args_match: { k: { ne: true } } }] }',
    'asks when n is at least 1 and m is under 2, or k is not true',
  ],
  [
    '{ condition: { args_match: { a: { in: [x, 1] }, b: { not_in: [y] }, c: { pattern: "^z" } } } }',
    'asks when a is one of "x", 1 and b is none of "y" and c matches ^z',
  ],
  ['{ condition: [{ args_match: { a: 1 } }, { args_match: {} }] }', 'always asks'],
  ['{ condition: { args_match: { a: {} } } }', 'asks when a is anything'],
  // Names come from calls, and patterns hold anything: neither reads as more of the sentence.
  [
    '{ condition: { args_match: { "a is 1 and b": 2, "x, or y": true } } }',
    'asks when "a is 1 and b" is 2 and "x, or y" is true',
  ],
  [
    '{ condition: { args_match: { a: { pattern: "^x, or b is 1" } } } }',
    'asks when a matches "^x, or b is 1"',
  ],
])('approval %s reads: %s', (approval, words) => {
  expect(
    declarationWords(load(`tools: { pay: { approval: ${approval} } }`).tools.get('pay')?.approval),
  ).toBe(words)
})

test.each([
  ['deny: no', 'every call'],
  [
    'match: { tool: "del_*", server: db, agent: "bot*", risk: L3 }, deny: no',
    'del_* on db by bot* at risk L3, or not rated',
  ],
  [
    'match: { risk: { gte: L2, ne: L4 } }, deny: no',
    'every call at risk L2 and up and other than L4, or not rated',
  ],
  [
    'condition: { args_match: { env: live } }, approval: { condition: { args_match: { n: { gt: 1 } } } }',
    'every call when (env is "live") and (n is over 1)',
  ],
  [
    'condition: [{ args_match: { a: 1 } }, { args_match: { b: 2 } }], approval: { condition: { args_match: { n: 3 } } }',
    'every call when (a is 1, or b is 2) and (n is 3)',
  ],
])('governance %s reads: %s', (rule, words) => {
  const [loaded] = load(`governance: [{ id: a, ${rule} }]`).governance
  expect(loaded && governanceWords(loaded)).toBe(words)
})
