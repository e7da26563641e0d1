import { expect, test } from 'vitest'
import type { Event } from '../../approval/transition.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { ChainEvent } from './audit-entry.ts'
import { newTip, readEntry, seal, sealContent, sha256 } from './chain.ts'

const event: Event = {
  type: 'claimed',
  tenant: 'default',
  approval: 'a1',
  revision: 3,
  command: 'c1',
  index: 0,
  at: 1_900_000_000_000,
  status: 'approved',
  by: { person: { subject: 'änä "€" \u2028', issuer: 'https://id.example' } },
  facts: { startBy: 7, rules: ['b', 'a'], claim: 'x', late: false },
}

const started: ChainEvent = {
  type: 'chain.started',
  tenant: 'default',
  at: 1,
  links: [{ writer: 'w0', seq: 9, hash: 'f'.repeat(64) }],
}

test('what is hashed is canonical JSON, and nothing else than what is shown', () => {
  for (const one of [event, started]) {
    const { body, entry } = seal(newTip('w1'), { event: one, state: 'e'.repeat(64) })
    const { hash, ...shown } = entry
    expect(body).toBe(canonicalJson({ v: 'countersign.event.v1', ...shown }))
    expect(hash).toBe(sha256(body))
    expect(readEntry(body, hash)).toEqual(entry)
  }
})

test('each entry names the one before', () => {
  const first = seal(newTip('w1'), { event: started })
  const second = seal(first.tip, { event })
  expect(first.entry).toMatchObject({ seq: 1, prev: '0'.repeat(64) })
  expect(second.entry).toMatchObject({ seq: 2, prev: first.entry.hash })
})

test('the same content has another seal under another salt or key', () => {
  const content = { key: 'a1/1/reason', kind: 'reason', value: 'no' } as const
  const seals = [
    sealContent(content, 's1'),
    sealContent(content, 's2'),
    sealContent({ ...content, key: 'a1/2/reason' }, 's1'),
    sealContent({ ...content, value: ['no'] }, 's1'),
  ]
  expect(new Set(seals).size).toBe(seals.length)
})

test('seals content as large as arguments may be, whatever they hold', () => {
  const value = '\u0001'.repeat(1_048_576)
  expect(sealContent({ key: 'a/1/arguments', kind: 'arguments', value }, 'salt')).toHaveLength(64)
})
