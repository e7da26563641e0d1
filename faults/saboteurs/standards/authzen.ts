import type { Saboteur } from '../saboteur.ts'

const hostile = {
  tests: ['test/server/authzen-hostile.test.ts', 'test/server/authzen-requests-hostile.test.ts'],
} as const
const flow = {
  tests: ['test/server/authzen.test.ts', 'test/server/authzen-tasks.test.ts'],
} as const
const pdp = { tests: ['test/gate/pdp.test.ts', 'test/gate/pdp-failures.test.ts'] } as const

export const AUTHZEN_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'an approval counts for another call',
    file: 'src/authzen/evaluate.ts',
    before: 'canonicalJson(args))) === digest',
    after: 'canonicalJson(args))) !== undefined || digest === tool',
    caughtBy: hostile,
  },
  {
    name: 'an approval of another door counts',
    file: 'src/authzen/evaluate.ts',
    before: 'if (!approval || approval.call.door !== AUTHZEN_DOOR) return undefined',
    after: 'if (!approval) return undefined',
    caughtBy: hostile,
  },
  {
    name: 'a subject is any agent',
    file: 'src/app/authzen-routes.ts',
    before: "if (type === 'agent' && id === token.agent) return",
    after: "if (type === 'agent' || id === token.agent) return",
    caughtBy: flow,
  },
  {
    name: 'an approval in a list is used up',
    file: 'src/app/authzen-routes.ts',
    before: 'if (sent.reference === undefined) return await decide(point, sent)',
    after: 'if (sent) return await decide(point, sent)',
    caughtBy: flow,
  },
  {
    name: 'a task of another agent is found',
    file: 'src/app/authzen-routes.ts',
    before: 'return approval && isOwn(approval, caller.token) ? approval : undefined',
    after: 'return approval',
    caughtBy: hostile,
  },
  {
    name: 'what was denied is not compared with what is requested',
    file: 'src/authzen/denial-binding.ts',
    before: 'if (tupleHash(tuple) !== sealed.hash)',
    after: "if (tupleHash(tuple) === '')",
    caughtBy: hostile,
  },
  {
    name: 'the seal of a denial is not checked',
    file: 'src/authzen/denial-binding.ts',
    before:
      "if (!timingSafeEqual(await seal(text), Buffer.from(mac, 'base64url'))) return undefined",
    after: 'if (!timingSafeEqual(await seal(text), await seal(text))) return undefined',
    caughtBy: hostile,
  },
  {
    name: 'a denial can be requested for ever',
    file: 'src/authzen/denial-binding.ts',
    before: 'if ((await store.now()) >= sealed.expiresAt)',
    after: 'if ((await store.now()) < 0)',
    caughtBy: flow,
  },
  {
    name: 'the context is not part of the call',
    file: 'src/authzen/tuple.ts',
    before: '...(Object.keys(context).length > 0 ? { context } : {}),',
    after: '...(Object.keys(context).length < 0 ? { context } : {}),',
    caughtBy: hostile,
  },
  {
    name: 'a decision point is not asked',
    file: 'src/gate/pipeline/judge.ts',
    before: 'isAsked ? await decisionsOn(policy, read.call, secrecy) : []',
    after: 'isAsked && !secrecy ? await decisionsOn(policy, read.call, secrecy) : []',
    caughtBy: pdp,
  },
  {
    name: 'the fast path asks no decision point',
    file: 'src/gate/pipeline/fast-path.ts',
    before: 'rules.pdps.length === 0 &&',
    after: 'rules.pdps.length >= 0 &&',
    caughtBy: pdp,
  },
  {
    name: 'a client decides where the server would ask a decision point',
    file: 'src/client/judge.ts',
    before: 'current.pdps.length === 0 &&',
    after: 'current.pdps.length >= 0 &&',
    caughtBy: { tests: ['test/client/remote-pdp.test.ts'] },
  },
  {
    name: 'a decision point that fails permits',
    file: 'src/gate/pdp/ask-pdp.ts',
    before: 'return { failed: messageOf(error) }',
    after: "return messageOf(error) ? { decision: true } : { failed: '' }",
    caughtBy: pdp,
  },
  {
    name: 'any status with a decision counts',
    file: 'src/gate/pdp/ask-pdp.ts',
    before: 'if (status !== 200) {',
    after: 'if (status < 200) {',
    caughtBy: pdp,
  },
  {
    name: 'a claim asks no decision point',
    file: 'src/gate/pipeline/claim.ts',
    before: 'verdictNow(policy, caller.mode, call, agents, beside)',
    after: 'verdictNow(policy, caller.mode, call, agents, beside.slice(0, 0))',
    caughtBy: pdp,
  },
  {
    name: 'secrets are sent to a decision point',
    file: 'src/gate/pdp/decision-points.ts',
    before: 'properties: shownArguments(policy, call, secrecy).value }',
    after: 'properties: call.args }',
    caughtBy: pdp,
  },
  {
    name: 'secrets that an agent declared are sent to a decision point at the claim',
    file: 'src/gate/pipeline/claim.ts',
    before: 'decisionsAtClaim(policy, call, { schema, paths })',
    after: 'decisionsAtClaim(policy, call, { schema, paths: [] })',
    caughtBy: { tests: ['test/client/remote-pdp.test.ts'] },
  },
  {
    name: 'a policy put into force while a decision point is asked does not count',
    file: 'src/gate/pdp/superseded.ts',
    before: 'if (now.includes(policy)) return false',
    after: 'if (now.length > 0) return false',
    caughtBy: pdp,
  },
  {
    name: 'a file without the decision point in force is not held back',
    file: 'src/cli/state/unapplied-policy.ts',
    before: 'unaskedBy(onDisk, inForce).length > 0',
    after: 'unaskedBy(onDisk, inForce).length < 0',
    caughtBy: { tests: ['test/cli/unapplied-pdp.test.ts'] },
  },
]
