import { expect, test } from 'vitest'
import { policyFrom } from '../../../test/support/policy.ts'
import { switchEffect } from './switch.ts'

const SERVERS = `
mcp_servers:
  - { alias: plain, server_ref: x }
  - { alias: open, server_ref: x, approval: false }
  - { alias: asking, server_ref: x, approval: true }
  - { alias: strict, server_ref: x, approval: { min_assurance: signed-in } }
  - { alias: sometimes, server_ref: x, approval: { condition: { args_match: { amount: { gt: 5 } } } } }
  - { alias: few, server_ref: x, allowed_tools: [{ name: fixed, approval: true }, free] }
`

function effect(
  target: string,
  on: boolean | undefined,
  { defaults = '', switches = {} }: { defaults?: string; switches?: Record<string, boolean> } = {},
) {
  const [server = '', tool] = target.split('/')
  const policy = policyFrom({ owner: `${defaults}${SERVERS}`, switches })
  return switchEffect(policy, { server, tool }, on)
}

test.each([
  ['plain/a', false, 'confirm', 'allow', true],
  ['plain/a', true, 'confirm', 'confirm', false],
  ['plain', false, 'confirm', 'allow', true],
  ['open/a', true, 'allow', 'confirm', false],
  ['asking/a', false, 'confirm', 'allow', true],
  // It would ask without what the file demands of the answer.
  ['strict/a', true, 'confirm', 'confirm', true],
  ['sometimes/a', true, 'confirm', 'confirm', false],
  ['sometimes/a', false, 'confirm', 'allow', true],
  ['few/free', false, 'confirm', 'allow', true],
])('%s switched %j: %s becomes %s, lower: %s', (target, on, before, after, lowers) => {
  expect(effect(target, on)).toEqual({ before, after, lowers })
})

test('taking a switch away can lower too', () => {
  const set = { switches: { 'open/a': true, 'plain/a': false, 'sometimes/a': true } }
  expect(effect('open/a', undefined, set)).toEqual({
    before: 'confirm',
    after: 'allow',
    lowers: true,
  })
  expect(effect('plain/a', undefined, set)).toMatchObject({ after: 'confirm', lowers: false })
  expect(effect('sometimes/a', undefined, set)).toMatchObject({ lowers: true })
})

test('asking where nothing was allowed is lower', () => {
  const deny = { defaults: 'defaults: { gateway: deny }' }
  expect(effect('plain/a', true, deny)).toEqual({ before: 'deny', after: 'confirm', lowers: true })
})

test.each([
  ['few/fixed', 'mcp_servers.few.allowed_tools.fixed.approval'],
  ['few/hidden', 'mcp_servers.few.allowed_tools'],
  ['asking', 'mcp_servers.asking.approval'],
])('%s is decided by a file', (target, rule) => {
  expect(effect(target, false)).toMatchObject({
    fixedBy: { rule, place: { line: expect.any(Number) } },
  })
})

test('a server that no file declares has no switch', () => {
  expect(effect('ghost', true)).toBeUndefined()
})
