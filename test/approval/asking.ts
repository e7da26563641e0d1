import type { Approval, AskedCall } from '../../src/approval/approval.ts'
import type { Claim, Command, Decide, Edit, Request } from '../../src/approval/command.ts'
import type { Person } from '../../src/approval/people/person.ts'
import type { PolicyAnswer, Requirement, Terms } from '../../src/approval/people/requirement.ts'
import { step } from '../../src/approval/step.ts'
import type { Transition } from '../../src/approval/transition.ts'

export const NOON = 1_800_000_000_000
export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

export const DIGEST = 'd'.repeat(64)
export const OTHER = 'e'.repeat(64)
export const THIRD = 'f'.repeat(64)
export const DEFINITION = '0'.repeat(64)

export function someone(subject: string, facts: Partial<Person> = {}): Person {
  return {
    issuer: 'https://id.example.com',
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    groups: [],
    roles: ['viewer'],
    assurance: 'signed-in',
    ...facts,
  }
}

export const ana = someone('ana', { groups: ['finance'], roles: ['viewer', 'approver'] })
export const bo = someone('bo', { groups: ['finance'] })
export const cy = someone('cy', { groups: ['security'] })
export const dee = someone('dee', { groups: ['finance', 'security'] })
export const kim = someone('kim', { roles: ['viewer', 'approver'] })
export const eve = someone('eve')
/** The acting user. */
export const uma = someone('uma', { groups: ['finance'], roles: ['viewer', 'approver'] })
export const root = someone('root', { roles: ['viewer', 'admin'] })

export const call: AskedCall = {
  kind: 'tool',
  door: 'in-process',
  tool: 'transfer_money',
  definition: DEFINITION,
  agent: 'billing-bot',
  principal: { issuer: uma.issuer, subject: uma.subject, email: 'uma@example.com' },
  run: 'chat-1',
  key: 'call-1',
}

export const terms: Terms = {
  decideBy: HOUR,
  useBy: 15 * MINUTE,
  minAssurance: 'elicitation',
  reason: 'optional',
  edit: true,
  grants: true,
}

export function asks(change: Partial<Requirement> = {}): Requirement {
  return {
    source: 'tool',
    rule: 'tools.transfer_money.approval',
    level: 'review',
    approvers: [],
    quorum: [],
    escalate: [],
    ...change,
  }
}

export const anyApprover = asks({ approvers: ['*'] })
export const confirmation = asks({ level: 'confirm' })
export const twoFinance = asks({ quorum: [{ group: 'finance', n: 2 }] })
export const financeAndSecurity = asks({
  quorum: [
    { group: 'finance', n: 1 },
    { group: 'security', n: 1 },
  ],
})

export const directory: Request['directory'] = {
  groups: {
    finance: { emails: ['ana@example.com', 'bo@example.com', 'dee@example.com'] },
    security: { emails: ['cy@example.com', 'dee@example.com'] },
  },
  approvers: 'open',
}

let sent = 0
export function commandId(): string {
  return `cmd-${++sent}`
}

export function requestFor(change: Partial<Request> = {}): Request {
  return {
    type: 'request',
    commandId: commandId(),
    id: 'apr-1',
    tenant: 'main',
    call,
    digest: DIGEST,
    requirements: [anyApprover],
    terms,
    policy: 'policy-1',
    directory,
    content: { arguments: '{"amount":1}', message: 'Run it?', missing: [] },
    ...change,
  }
}

/** A pending approval, asked at noon. */
export function asked(change: Partial<Request> = {}): Approval {
  return accepted(step(undefined, requestFor(change), NOON)).approval
}

export function yes(by: Person, change: Partial<Decide> = {}): Decide {
  return { type: 'decide', commandId: commandId(), by, verdict: 'approve', seen: DIGEST, ...change }
}

export function no(by: Person, change: Partial<Decide> = {}): Decide {
  return yes(by, { verdict: 'deny', ...change })
}

export function editTo(digest: string, change: Partial<Edit> = {}): Edit {
  return {
    digest,
    arguments: '{"amount":2}',
    changed: [['amount']],
    answer: policyOf([anyApprover]),
    message: 'Run it so?',
    missing: [],
    ...change,
  }
}

export function policyOf(
  requirements: readonly Requirement[],
  change: Partial<Terms> = {},
): PolicyAnswer {
  const review = requirements.some(({ level }) => level === 'review')
  return {
    verdict: review ? 'review' : 'confirm',
    requirements,
    terms: { ...terms, ...change },
    policy: 'policy-1',
  }
}

export const allowed: PolicyAnswer = { verdict: 'allow', requirements: [], policy: 'policy-2' }
export const forbidden: PolicyAnswer = { verdict: 'deny', requirements: [], policy: 'policy-2' }

/** A claim under an unchanged policy, by voters who are as they were. */
export function claimOf(approval: Approval, change: Partial<Claim> = {}): Claim {
  return {
    type: 'claim',
    commandId: commandId(),
    agent: approval.call.agent,
    digest: approval.askedDigest,
    holder: { claim: 'claim-1', instance: 'instance-1' },
    definition: approval.call.definition,
    answer: {
      verdict: approval.level,
      requirements: approval.requirements,
      terms: approval.terms,
      policy: approval.policy,
    },
    voters: approval.decisions.map(({ by }) => by),
    ...change,
  }
}

export function send<T extends Command['type']>(
  type: T,
  rest: Omit<Extract<Command, { type: T }>, 'type' | 'commandId'>,
): Command {
  return { type, commandId: commandId(), ...rest } as unknown as Command
}

/** Each command in turn, one second apart, all of which must be accepted. */
export function after(approval: Approval, ...commands: readonly Command[]): Approval {
  return commands.reduce(
    (now, command) => accepted(step(now, command, now.changedAt + SECOND)).approval,
    approval,
  )
}

export function accepted(transition: Transition): Extract<Transition, { ok: true }> {
  if (!transition.ok) throw new Error(`${transition.code}: ${transition.message}`)
  return transition
}

/** What became of a command in one word: the new status, or the code of the refusal. */
export function outcome(transition: Transition): string {
  return transition.ok ? describe(transition.approval) : transition.code
}

export function describe({ status, reason, execution }: Approval): string {
  if (execution) return execution.state
  return reason ? `${status}(${reason})` : status
}
