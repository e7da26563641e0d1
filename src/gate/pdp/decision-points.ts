import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Secrecy } from '../../base/secrets/mask.ts'
import type { DecisionPoint } from '../../policy/document.ts'
import { plainAsk, shownArguments } from '../../policy/evaluate/declared.ts'
import type { Looked } from '../../policy/evaluate/judge.ts'
import type { Policy } from '../../policy/policy.ts'
import { ownerName } from '../identity.ts'
import { askPdp, type PdpAnswer } from './ask-pdp.ts'

/**
 * What the decision points of a policy say of a call, as rules beside its own: each of them can only
 * object. One that permits, and there is no other word for it, is left out.
 */
export async function decisionsOn(
  policy: Policy,
  call: Call,
  secrecy: Secrecy,
): Promise<readonly Looked[]> {
  if (policy.pdps.length === 0) return []
  const answers = await answersFor(policy, call, secrecy)
  return answers.flatMap(({ point, answer }) => lookedOf(policy, point, answer))
}

/**
 * The same for a call that people approved. One that cannot be asked holds the approval back and
 * does not end it, as a lock does: it may be there again in a minute. Throws `locked`.
 */
export async function decisionsAtClaim(
  policy: Policy,
  call: Call,
  secrecy: Secrecy,
): Promise<readonly Looked[]> {
  if (policy.pdps.length === 0) return []
  const answers = await answersFor(policy, call, secrecy)
  for (const { point, answer } of answers) {
    if ('failed' in answer && point.onError === 'deny') {
      throw new CountersignError('locked', failure(answer.failed))
    }
  }
  return answers.flatMap(({ point, answer }) => lookedOf(policy, point, answer))
}

function answersFor(policy: Policy, call: Call, secrecy: Secrecy) {
  const evaluation = evaluationOf(policy, call, secrecy)
  return Promise.all(
    policy.pdps.map(async (point) => ({ point, answer: await askPdp(point, evaluation) })),
  )
}

/** As our own decision point reads it. Secrets stay here: others see their masks. */
function evaluationOf(policy: Policy, call: Call, secrecy: Secrecy): JsonObject {
  const { kind = 'tool', tool, server, agent, principal, risk } = call
  const context = {
    ...(server === undefined ? {} : { server }),
    ...(principal === undefined ? {} : { principal }),
    ...(risk === undefined ? {} : { risk }),
  }
  return {
    subject: { type: 'agent', id: ownerName(agent) },
    action: { name: tool },
    resource: { type: kind, id: tool, properties: shownArguments(policy, call, secrecy).value },
    ...(Object.keys(context).length > 0 ? { context } : {}),
  }
}

function lookedOf({ owner }: Policy, point: DecisionPoint, answer: PdpAnswer): readonly Looked[] {
  if (!('failed' in answer)) {
    if (answer.decision) return []
    const { reason } = answer
    const why = `A decision point of the policy denied it${reason ? ` (${reason})` : ''}.`
    return [{ ...looked(point), answer: 'yes', level: 3, why }]
  }
  const why = failure(answer.failed)
  if (point.onError === 'deny') return [{ ...looked(point), answer: 'unknown', level: 3, why }]
  const approvers = owner.defaults.approvers ?? ['*']
  // Not by a grant: an agent can send what makes it fail, and then a person has to look.
  const ask = { ...plainAsk(point.rule), approvers, grants: false }
  return [{ ...looked(point), answer: 'unknown', level: 2, why, ask }]
}

function looked({ rule, place }: DecisionPoint) {
  return { layer: 'governance', source: 'pdp', rule, place, defaults: {}, findings: [] } as const
}

/** Agents read this: where it is stays with those who wrote the policy. */
function failure(says: string): string {
  return `A decision point of the policy could not be asked: ${says}.`
}
