import type { Approval } from '../approval/approval.ts'
import type { Person } from '../approval/person.ts'
import type { Gate } from '../gate/gate.ts'
import { type Client, canElicit } from './client.ts'

// Nobody reads a question in less: such an answer was given by a program.
const SOONEST_ANSWER = 700

/**
 * Whether this question may be answered inside the client. Its answer comes from the agent's own
 * process, so it is good for a `confirm` by the person whose connection this is, and no more.
 */
export function mayElicit(
  { level, terms }: Approval,
  client: Client,
  person: Person | undefined,
): person is Person {
  return (
    person !== undefined &&
    level === 'confirm' &&
    terms.minAssurance === 'elicitation' &&
    terms.reason !== 'required_always' &&
    canElicit(client)
  )
}

/** Asks in the client. `none`: there was no answer that counts, so the question stays open. */
export async function elicit(
  gate: Gate,
  approval: Approval,
  client: Client,
  person: Person,
  signal: AbortSignal,
): Promise<'decided' | 'none'> {
  const { id, digest, call } = approval
  const shown = await gate.approvals.get(id)
  const message = shown?.question?.message
  if (message === undefined) return 'none'
  const asked = performance.now()
  const { action } = await client.ask(
    'elicitation/create',
    { message, requestedSchema: { type: 'object', properties: {} } },
    signal,
  )
  if (signal.aborted || performance.now() - asked < SOONEST_ANSWER) return 'none'
  if (action === 'accept' || action === 'decline') {
    const verdict = action === 'accept' ? 'approve' : 'deny'
    await gate.approvals.decide(id, { by: person, verdict, seen: digest })
    return 'decided'
  }
  // A closed dialog is no no for ever, but the call does not run.
  await gate.approvals.withdraw(id, { agent: call.agent })
  return 'decided'
}
