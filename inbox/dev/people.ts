/** Made-up people and tokens for the stand-in server. */
import type { PeopleList, TokenList, WireMember, WireRole } from '../../src/api/people.ts'
import type { StandInList } from '../../src/api/stand-ins.ts'
import { ANA, BO, CY, sha } from './calls.ts'

const HOUR = 3_600_000

export function samplePeople(now: number, asViewer: boolean): PeopleList {
  const member = (
    person: typeof ANA,
    roles: readonly WireRole[],
    groups: readonly string[],
    more: Partial<WireMember> = {},
  ): WireMember => ({ id: sha(person.subject), ...person, roles, groups, ...more })
  const people = [
    member(ANA, ['viewer', 'approver', 'admin'], ['finance', 'platform'], {
      you: true,
      lastSignInAt: now - HOUR,
      sessions: 2,
    }),
    member(BO, ['approver'], ['finance'], { lastSignInAt: now - 70 * HOUR, sessions: 0 }),
    member({ ...CY, issuer: 'https://login.example.com' }, ['approver'], ['security'], {
      lastSignInAt: now - 2 * HOUR,
      sessions: 1,
      locked: true,
    }),
    member({ ...CY, subject: 'dee', name: 'Dee\u202e', email: 'dee@example.com' }, ['viewer'], [], {
      sessions: 0,
    }),
  ]
  const groups = ['finance', 'platform', 'security']
  if (asViewer) {
    const shown = people.map(({ lastSignInAt: _, sessions: __, ...one }) => one)
    return { people: shown, groups, now, can: [] }
  }
  const removed = [{ ...BO, subject: 'eve', email: 'eve@example.com', at: now - 30 * HOUR }]
  return { people, removed, groups, now, can: ['change'] }
}

export function sampleTokens(now: number): TokenList {
  return {
    tokens: [
      {
        prefix: '0a1b2c3d4e5f',
        agent: 'mailer',
        principal: 'ana@example.com',
        createdAt: now - 40 * HOUR,
        expiresAt: now + 700 * HOUR,
        lastUsedAt: now - 300_000,
      },
      { prefix: 'ffeeddccbbaa', agent: 'release-bot', createdAt: now - 9 * HOUR },
    ],
    now,
  }
}

export function sampleStandIns(now: number): StandInList {
  const one = {
    id: 'si_1',
    absent: BO,
    standIn: ANA,
    from: now - HOUR,
    until: now + 90 * HOUR,
    by: BO,
    at: now - HOUR,
    reason: 'Holiday',
    can: ['end', 'take_back'] as const,
  }
  return { standIns: [one], now, can: ['set', 'set_for_others'] }
}
