import type { Approval, AskedCall } from '../approval/approval.ts'
import type { Claim, Command, Decide, Finish, Request } from '../approval/command.ts'
import type { Person } from '../approval/people/person.ts'
import type { Requirement, Terms } from '../approval/people/requirement.ts'
import { newId } from '../base/id.ts'

/** Commands as a gate sends them, for tests of what comes after it. */

const HOUR = 3_600_000

/** Random and of the right length, but of nothing in particular. */
export function someDigest(): string {
  return [...crypto.getRandomValues(new Uint8Array(32))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}

const ANY_APPROVER: Requirement = {
  source: 'tool',
  rule: 'tools.pay.approval',
  level: 'review',
  approvers: ['*'],
  quorum: [],
  escalate: [],
}

export const TERMS: Terms = {
  decideBy: 24 * HOUR,
  useBy: HOUR / 4,
  minAssurance: 'elicitation',
  reason: 'optional',
  edit: true,
  grants: true,
}

export interface Asking {
  readonly id?: string
  readonly tenant?: string
  readonly digest?: string
  readonly call?: Partial<AskedCall>
  readonly terms?: Partial<Terms>
  /** How many different people must say yes. One unless set. */
  readonly yeses?: number
}

export function asking({ id, tenant, digest, call, terms, yeses = 1 }: Asking = {}): Request {
  const quorum = yeses > 1 ? { approvers: [], quorum: [{ group: 'staff', n: yeses }] } : {}
  return {
    type: 'request',
    commandId: crypto.randomUUID(),
    id: id ?? newId(),
    tenant: tenant ?? 'default',
    call: {
      kind: 'tool',
      door: 'sdk',
      tool: 'pay',
      definition: 'd'.repeat(64),
      agent: 'biller',
      ...call,
    },
    digest: digest ?? someDigest(),
    requirements: [{ ...ANY_APPROVER, ...quorum }],
    terms: { ...TERMS, ...terms },
    policy: 'policy-1',
    directory: { groups: { staff: { claim: 'staff' } }, approvers: 'open' },
    content: { arguments: '{"amount":50}', message: 'Pay 50?', missing: [] },
  }
}

export function approverNamed(name: string): Person {
  return {
    issuer: 'https://id.example',
    subject: name,
    groups: ['staff'],
    roles: ['approver'],
    assurance: 'signed-in',
  }
}

export function deciding(
  { digest }: Pick<Approval, 'digest'>,
  by = approverNamed('ana'),
  verdict: Decide['verdict'] = 'approve',
): Decide {
  return { type: 'decide', commandId: crypto.randomUUID(), by, verdict, seen: digest }
}

export function claiming(approval: Approval, holder: Partial<Claim['holder']> = {}): Claim {
  const { call, askedDigest, requirements, terms, decisions } = approval
  const [{ level } = ANY_APPROVER] = requirements
  return {
    type: 'claim',
    commandId: crypto.randomUUID(),
    agent: call.agent,
    digest: askedDigest,
    holder: { claim: crypto.randomUUID(), instance: 'some-process', ...holder },
    definition: call.definition,
    answer: { verdict: level, requirements, terms, policy: 'policy-1' },
    voters: decisions.map(({ by }) => by),
  }
}

export function finishing({ execution }: Approval, result: Finish['result'] = 'done'): Finish {
  return {
    type: 'finish',
    commandId: crypto.randomUUID(),
    claim: execution?.claim ?? '',
    outcome: 'succeeded',
    result,
  }
}

/** The commands that consist of their name. */
export function telling(type: 'expire' | 'remind' | 'escalate' | 'lost'): Command {
  return { type, commandId: crypto.randomUUID() }
}
