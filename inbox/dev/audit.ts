/** A made-up record for the stand-in server. */
import type { AuditPage, ChainState, WireAuditEvent } from '../../src/api/audit.ts'
import { ANA, BO, sha } from './calls.ts'

const by = ({ issuer, subject }: typeof ANA) => ({ person: { issuer, subject } })

export function sampleAudit(now: number): AuditPage {
  const approval = 'ap_7q2m'
  const events: readonly Omit<WireAuditEvent, 'tenant' | 'at'>[] = [
    { type: 'finished', approval, by: { agent: 'Treasury agent' }, code: 'succeeded' },
    { type: 'claimed', approval, by: { agent: 'Treasury agent' }, status: 'approved' },
    { type: 'approved', approval, by: { system: 'gate' }, status: 'approved' },
    {
      type: 'decided',
      approval,
      by: by(BO),
      code: 'approve',
      assurance: 'signed-in',
      digest: sha('x'),
    },
    { type: 'revealed', approval, by: by(ANA), facts: { path: 'api_key' } },
    { type: 'lock.set', by: by(ANA), facts: { lock: 'lk_1', target: 'agent Coding agent' } },
    { type: 'session.started', by: by(ANA), facts: { session: '0123456789abcdef' } },
    { type: 'something.new', facts: { evil: '<b>\u202e' } },
    { type: 'chain.started' },
  ]
  return {
    entries: events.map((event, at) => ({
      writer: 'w1',
      seq: 18_407 - at,
      prev: sha(`${at + 1}`),
      hash: sha(`${at}`),
      event: { tenant: 'acme', at: now - at * 61_003, ...event },
    })),
    next: 'more',
    end: true,
    calls: {
      [approval]: { tool: 'transfer_money', server: 'payments', agent: 'Treasury agent' },
    },
    people: [ANA, BO],
  }
}

export function sampleChain(now: number, isBroken: boolean): ChainState {
  const report = {
    ok: !isBroken,
    entries: 18_407,
    writers: 3,
    checkpoints: 184,
    uncovered: 7,
    checkpointAt: now - 200_000,
    signedBy: ['3f9a'],
    checkedAt: now - 12_000,
    tookMs: 740,
    ...(isBroken
      ? {
          problem: {
            code: 'hash',
            place: 'entry 12 of writer w1',
            message: 'its text does not give its hash',
            hint: 'Its text was changed after it was written. Keep this database as evidence.',
          },
        }
      : {}),
  }
  return { report, now }
}
