import { expect, test } from 'vitest'
import { AccessReview } from './access-report.ts'
import { DutiesReview } from './duties-report.ts'
import type { ReportEntry, ReportedEvent } from './entry.ts'

const ana = { issuer: 'local', subject: 'ana' }
const bo = { issuer: 'local', subject: 'bo' }
const idp = { issuer: 'https://idp.example', subject: 'ana' }

let at = 0
function entry(event: Partial<ReportedEvent>, records: ReportEntry['records'] = []): ReportEntry {
  at += 1
  const whole = { type: '', tenant: 'default', at, ...event }
  return { hash: `h${at}`, event: whole, records, content: () => undefined }
}

const asked = (approval: string, facts: object = {}) =>
  entry({
    ...{ type: 'requested', approval, by: { agent: 'bot' }, digest: 'd' },
    facts: { tool: 'pay', agent: 'bot', level: 'review', policy: 'p1', rules: [], ...facts },
  })
const yes = (approval: string, person: typeof ana) =>
  entry({ type: 'decided', approval, by: { person }, status: 'pending' })
const approved = (approval: string, person: typeof ana) =>
  entry({ type: 'approved', approval, by: { person }, status: 'approved' })

function findings(entries: readonly ReportEntry[]) {
  const review = new DutiesReview({})
  for (const one of entries) review.take(one)
  return review.result().findings.map(({ kind, person, with: other }) => [kind, person, other])
}

test('a decider who is the acting user is named, by issuer and subject', () => {
  const own = asked('a', { issuer: ana.issuer, principal: ana.subject })
  expect(findings([own, yes('a', ana), approved('a', ana)])).toEqual([
    ['self_approved', 'ana', 'ana'],
  ])
  // Another issuer's account of the same name is another person.
  expect(findings([own, yes('a', idp), approved('a', idp)])).toEqual([])
  // The user of a chat confirms their own call: that is what `confirm` is for.
  const confirm = asked('a', { issuer: ana.issuer, principal: ana.subject, level: 'confirm' })
  expect(findings([confirm, yes('a', ana), approved('a', ana)])).toEqual([])
})

test('a decider who put the policy of the call into force is named', () => {
  const applied = entry({ type: 'policy.applied', by: { person: ana }, facts: { policy: 'p1' } })
  expect(findings([applied, asked('a'), yes('a', ana)])).toEqual([['own_policy', 'ana', 'p1']])
  expect(findings([applied, asked('a', { policy: 'p2' }), yes('a', ana)])).toEqual([])
})

test('a decider who was admitted by another decider of the same call is named', () => {
  const facts = { ...bo, roles: ['approver'] }
  const added = entry({ type: 'person.added', by: { person: ana }, facts })
  expect(findings([added, asked('a'), yes('a', ana), yes('a', bo)])).toEqual([
    ['admitted', 'bo', 'ana'],
  ])
  expect(findings([added, asked('a'), yes('a', bo)])).toEqual([])
})

test('a grant is answered for by the person who made it', () => {
  const own = asked('a', { issuer: ana.issuer, principal: ana.subject })
  const facts = { grant: 'g', issuer: ana.issuer, minter: ana.subject, useBy: 9 }
  const byGrant = entry({
    ...{ type: 'approved', approval: 'a', by: { system: 'gate' }, status: 'approved', facts },
  })
  expect(findings([own, byGrant])).toEqual([['self_approved', 'ana', 'ana']])
})

test('an access review follows the records: what one entry removes is gone, whatever it names', () => {
  const person = (id: string, now?: string) => ({ kind: 'person', id, ...(now ? { now } : {}) })
  const facts = { ...ana, roles: ['approver'] }
  const review = (until: number) => {
    const found = new AccessReview({ at: until })
    for (const one of entries) found.take(one)
    const { people, tokens } = found.result()
    return [
      people.map((one) => [one.person.issuer, one.passkeys]),
      tokens.map(({ token }) => token),
    ]
  }
  const entries = [
    entry({ type: 'person.added', by: { system: 'operator' }, facts }, [person('k1', 'x')]),
    entry({ type: 'person.added', by: { system: 'operator' }, facts: { ...facts, ...idp } }, [
      person('k2', 'x'),
    ]),
    entry({ type: 'passkey.added', by: { person: ana } }, [
      { kind: 'passkey', id: 'k1.credential', now: 'x' },
    ]),
    entry({ type: 'token.created', by: { person: ana }, facts: { token: 't', agent: 'b' } }, [
      { kind: 'token', id: 't', now: 'x', expiresAt: at + 10 },
    ]),
  ]
  expect(review(at)).toEqual([
    [
      ['local', 1],
      ['https://idp.example', 0],
    ],
    ['t'],
  ])
  expect(review(at + 20)[1]).toEqual([])
  // Both accounts of one human go with one entry, which names one of them.
  entries.push(
    entry({ type: 'person.removed', by: { system: 'operator' }, facts }, [
      ...[person('k1'), person('k2')],
      ...[{ kind: 'passkey', id: 'k1.credential', was: 'x' }],
      ...[{ kind: 'token', id: 't', was: 'x' }],
    ]),
  )
  expect(review(at)).toEqual([[], []])
})
