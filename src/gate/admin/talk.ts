import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import { LONGEST_REMARK } from '../../approval/talk.ts'
import { CountersignError } from '../../base/errors.ts'
import { maskedRemark } from '../content/remarks.ts'
import type { GateContext } from '../context.ts'
import { type CallerIdentity, ownerName } from '../identity.ts'
import { isForAnother } from '../pipeline/lease.ts'
import { withAbsent } from './stand-ins.ts'

/** What people say about a call without deciding it. Secrets in it are masked before it is stored. */
export interface Talk {
  /** Asks the asker something. The call stays pending; `until` gives it more time, as `extend` does. */
  question(id: string, asked: { by: Person; text: string; until?: number }): Promise<Approval>
  /** The acting user replies in the place of the agent. Agents do by `gate.answer`. */
  reply(id: string, said: { by: Person; text: string }): Promise<Approval>
  comment(id: string, said: { by: Person; text: string }): Promise<Approval>
  /** Says who is to answer. Others still may. Without `to`, it is no longer one person. */
  assign(id: string, assigned: { by: Person; to?: Person }): Promise<Approval>
}

export function createTalk(core: GateContext): Talk {
  const { store } = core

  async function known(id: string): Promise<Approval> {
    const approval = await store.get(id)
    if (!approval) throw notFound(id)
    return approval
  }

  async function masked(id: string, text: string): Promise<string> {
    return maskedRemark(core, await known(id), bounded(text))
  }

  return {
    async question(id, { by, text, until }) {
      const said = await masked(id, text)
      const person = await withAbsent(core, by)
      const { approval } = await store.apply(id, {
        type: 'question',
        ...sent(),
        by: person,
        text: said,
        ...(until === undefined ? {} : { until }),
      })
      core.listeners.emit('questioned', { approval })
      return approval
    },
    async reply(id, { by, text }) {
      const said = await masked(id, text)
      const command = { type: 'reply', ...sent(), by: { person: by }, text: said } as const
      return (await store.apply(id, command)).approval
    },
    async comment(id, { by, text }) {
      const said = await masked(id, text)
      const person = await withAbsent(core, by)
      const command = { type: 'comment', ...sent(), by: person, text: said } as const
      return (await store.apply(id, command)).approval
    },
    async assign(id, { by, to }) {
      const person = await withAbsent(core, by)
      const named = to === undefined ? {} : { to: await withAbsent(core, to) }
      const command = { type: 'assign', ...sent(), by: person, ...named } as const
      return (await store.apply(id, command)).approval
    },
  }
}

/**
 * The agent's own words, to everything that was asked. For another agent, or for an agent that
 * works for another person, the approval does not exist.
 */
export async function answerAsAgent(
  core: GateContext,
  caller: CallerIdentity,
  id: string,
  text: string,
): Promise<Approval> {
  const agent = ownerName(caller.agent)
  const approval = await core.store.get(id)
  if (!approval || approval.call.agent !== agent || isForAnother(approval, caller)) {
    throw notFound(id)
  }
  const said = await maskedRemark(core, approval, bounded(text))
  const command = { type: 'reply', ...sent(), by: { agent }, text: said } as const
  return (await core.store.apply(id, command)).approval
}

/** Before it is masked: that takes time, and can make a text shorter. */
function bounded(text: unknown): string {
  if (typeof text === 'string' && text.trim() !== '' && text.length <= LONGEST_REMARK) return text
  const most = `1 to ${LONGEST_REMARK} characters`
  throw new CountersignError('invalid_value', `a text of ${most} is needed`)
}

function notFound(id: string): CountersignError {
  return new CountersignError('approval_not_found', `there is no approval ${id}`)
}

function sent() {
  return { commandId: crypto.randomUUID() }
}
