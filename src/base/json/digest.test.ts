import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { type BoundCall, callDigest, digestOf, sha256 } from './digest.ts'

const call: BoundCall = {
  tenant: 'main',
  door: 'in-process',
  kind: 'tool',
  server: 'files',
  tool: 'write_file',
  definition: '0'.repeat(64),
  agent: 'bot',
  principal: { issuer: 'https://id.example.com', subject: 'uma' },
  arguments: '{"path":"a"}',
}

const { server: _s, ...withoutServer } = call
const { principal: _p, ...withoutPrincipal } = call

test.each<[string, BoundCall]>([
  ['the tenant', { ...call, tenant: 'other' }],
  ['the door', { ...call, door: 'gateway' }],
  ['the kind', { ...call, kind: 'skill' }],
  ['the server', { ...call, server: 'other' }],
  ['an absent server', withoutServer],
  ['an empty server', { ...call, server: '' }],
  ['the tool', { ...call, tool: 'read_file' }],
  ['the definition of the tool', { ...call, definition: '1'.repeat(64) }],
  ['the agent', { ...call, agent: 'other' }],
  ['the acting user', { ...call, principal: { issuer: 'https://id.example.com', subject: 'kim' } }],
  ['the issuer of the acting user', { ...call, principal: { subject: 'uma' } }],
  ['an absent acting user', withoutPrincipal],
  ['a form', { ...call, form: '0'.repeat(64) }],
  ['one byte of the arguments', { ...call, arguments: '{"path":"b"}' }],
])('another digest for %s', async (_, other) => {
  expect(await callDigest(other)).not.toBe(await callDigest(call))
})

test('an absent server is not an empty one', async () => {
  expect(await callDigest(withoutServer)).not.toBe(await callDigest({ ...call, server: '' }))
})

test('anyone can compute it: it is SHA-256 over one canonical list', async () => {
  const list = [
    'countersign.call.v1',
    'main',
    'in-process',
    'tool',
    'files',
    'write_file',
    call.definition,
    'bot',
    ['https://id.example.com', 'uma'],
    { path: 'a' },
  ]
  const expected = createHash('sha256').update(canonicalJson(list)).digest('hex')
  expect(await callDigest(call)).toBe(expected)
  const form = '1'.repeat(64)
  const args = list.pop()
  const formed = ['countersign.call-with-form.v1', ...list.slice(1), form, args]
  const other = createHash('sha256').update(canonicalJson(formed)).digest('hex')
  expect(await callDigest({ ...call, form })).toBe(other)
})

test('names full of separators never make two calls look alike', async () => {
  const part = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\0', '\\', ']', '[', 'n') })
  const names = fc.tuple(part, part, part, part)
  await fc.assert(
    fc.asyncProperty(names, names, async (one, other) => {
      const digest = ([tenant, door, tool, agent]: typeof one) =>
        callDigest({ ...call, tenant, door, tool, agent })
      const same = one.every((name, index) => name === other[index])
      expect((await digest(one)) === (await digest(other))).toBe(same)
    }),
    { numRuns: 500 },
  )
})

test('a known answer, and another name gives another digest', async () => {
  expect(await sha256('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
  expect(await digestOf('definition', {})).not.toBe(await digestOf('policy', {}))
})
