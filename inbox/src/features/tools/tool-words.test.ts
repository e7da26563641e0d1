import { expect, test } from 'vitest'
import type { WireServerTool } from '../../../../src/api/servers.ts'
import { answerFrom, loweringWords, riskWhy, tally } from './tool-words.ts'

const answer = (source: string, rule: string) => ({
  verdict: 'confirm' as const,
  depends: false,
  source,
  rule,
})

test.each([
  [answer('operator', 'operator.files/write'), 'switched here'],
  [answer('governance', 'governance.no-crashes'), 'rule no-crashes'],
  [answer('server', 'mcp_servers.files.approval'), 'the whole server'],
  [answer('server', 'mcp_servers.files.allowed_tools'), 'not in allowed_tools'],
  [answer('tool', 'mcp_servers.files.allowed_tools.write.approval.condition'), 'rule for write'],
  [answer('default', 'defaults.gateway'), 'defaults.gateway'],
  [answer('tool', 'studio.pay.humanInTheLoop'), 'its author, in the studio'],
  [answer('server', 'studio.humanInTheLoop'), 'its author, in the studio'],
])('%j comes from: %s', (from, words) => {
  expect(answerFrom(from)).toBe(words)
})

test('a risk says what made it so', () => {
  expect(riskWhy({ riskFrom: 'name', riskSign: 'drop' })).toBe('its name says “drop”')
  expect(riskWhy({ riskFrom: 'nothing' })).toBe('nothing about it stands out')
})

test('lowering says what will happen', () => {
  expect(loweringWords('write', { after: 'allow', lowers: true })).toBe(
    'Calls to write will run without asking.',
  )
  expect(loweringWords('write', { after: 'confirm', lowers: true })).toMatch(/less than now/)
})

test('what is held back counts as nothing else', () => {
  const tool = (verdict: 'allow' | 'confirm' | 'deny', change?: WireServerTool['change']) =>
    ({ answer: { ...answer('default', ''), verdict }, change }) as WireServerTool
  const held = { id: '1', from: '', to: 'a' }
  expect(tally([tool('allow'), tool('allow', held), tool('confirm'), tool('deny')])).toEqual({
    all: 4,
    asks: 1,
    runs: 1,
    refused: 1,
    held: 1,
  })
})
