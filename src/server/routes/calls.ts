import type { Call } from '../../base/call.ts'
import { CountersignError, type ErrorCode } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { boundedKey, isLongKey } from '../../gate/content/bounded-key.ts'
import { digestDefinition } from '../../gate/content/digests.ts'
import type { CodeWords } from '../../gate/declared/declarations.ts'
import type { Gate } from '../../gate/gate.ts'
import { ownerName } from '../../gate/identity.ts'
import { internals } from '../../gate/internals.ts'
import type { Checked } from '../../gate/pipeline/check.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { shapedCall } from '../../policy/call.ts'
import { loadDeclaration } from '../../policy/load/load.ts'
import type { CallAnswer, ClaimAnswer, LookAnswer } from '../../wire/agent.ts'
import { agentOf, type Route, route } from '../http/route.ts'
import {
  anyJson,
  digest,
  flag,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  whole,
} from '../http/shape.ts'
import { readAddress } from '../identity/address.ts'
import type { AgentCaller } from '../identity/caller.ts'
import { VOUCHED_DOOR } from '../identity/vouched.ts'
import { knownApproval } from '../read-approvals.ts'
import { boundedDeclaration, DEFINITION } from '../sent-definition.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'

/** A call, and what the tool is said to do: shown with it, and part of what is approved. */
const ASKED: Shape<{
  readonly call: Call
  readonly definition: ToolDefinition | undefined
  readonly declared?: unknown
  readonly ask?: false
  readonly longKey?: string
}> = {
  schema: {
    type: 'object',
    required: ['tool', 'args'],
    properties: {
      definition: { type: 'object' },
      declared: { type: ['object', 'array'] },
      ask: { type: 'boolean' },
    },
    description:
      'a call; see the reference. definition: description and inputSchema of the tool. declared: what the code of the agent says of it, in the words of policy files, or a list of such declarations; each counts where it is stricter. ask: false only looks: it never asks a new question',
  },
  read(value) {
    if (!isPlainObject(value)) return { call: shapedCall(value), definition: undefined }
    const { definition, declared, ask, ...given } = value
    const { key, ...keyless } = given
    const long = isLongKey(key) ? { longKey: key } : {}
    if (ask !== undefined && typeof ask !== 'boolean') {
      throw new CountersignError('invalid_value', 'ask is neither true nor false')
    }
    return {
      call: shapedCall('longKey' in long ? keyless : given),
      ...long,
      definition: DEFINITION.read(definition, 'definition'),
      ...(declared === undefined ? {} : { declared: boundedDeclaration(declared) }),
      ...(ask === false ? { ask } : {}),
    }
  },
}
/** Kept ready at once. More tokens than that only means making some again. */
const MOST_GATES = 1_000
const CLAIM = text({ min: 1, max: 100 })
const LEASE = optional(whole({ min: 1_000, max: 300_000 }))

/** What agents do. Each speaks for the agent its token is bound to, and for no other. */
export function callRoutes({ gate, store, credentials, policy, meter, notes }: Services): Route[] {
  const gates = new Map<string, Gate>()

  /** Made once for each token: what it is bound to never changes. */
  function gateOf({ token: { prefix, agent, principal, vouches } }: AgentCaller): Gate {
    const known = gates.get(prefix)
    if (known) return known
    const own = gate.with({
      agent,
      isValid: () => credentials.tokens.isThere(prefix),
      ...(principal === undefined ? {} : { principal }),
      ...(vouches ? { door: VOUCHED_DOOR } : {}),
    })
    if (gates.size >= MOST_GATES) gates.clear()
    gates.set(prefix, own)
    return own
  }

  return [
    route({
      method: 'post',
      path: '/v1/calls',
      who: ['agent'],
      summary: 'Ask whether a call may run. Asking again for the same call joins it.',
      body: ASKED,
      answer: 'allow, deny with the sentence for the model, or the approval to wait for.',
      async handle({ c, caller, body: { call: sent, definition, declared, ask, longKey } }) {
        const asker = agentOf(caller)
        const own = gateOf(asker)
        const agent = ownerName(asker.token.agent)
        // A key only has to tell calls apart, so one of any length is good.
        const given = longKey === undefined ? sent : { ...sent, key: await boundedKey(longKey) }
        const call = named(given, asker)
        const { tool, server, key } = call
        // Without keys of its own an agent that asks again, perhaps after a lost answer, means the
        // same call as long as that one is under way.
        const join = key === undefined ? ({ join: 'digest' } as const) : {}
        // Reading them takes time, and however often it happens it is the agent's own.
        for (const words of listed(declared)) {
          meter.charge(agent, () => loadDeclaration(tool, words))
        }
        const said = { ...join, definition, agentDeclared: declared }
        if (ask === false) {
          const now = await meter.on(agent, () => own[internals].asked(call, said))
          const answer: LookAnswer = now ? answerOf(now) : { status: 'unasked' }
          return c.json(answer)
        }
        const checked = await meter.on(agent, () => own.check(call, { ...said, isParsed: true }))
        const isServed = server !== undefined && policy().owner.servers.has(server)
        // What a server's tools say of themselves comes from the server, never from who calls them.
        if ((definition || declared) && checked.status !== 'allowed' && !isServed) {
          const { kind } = call
          const code = server === undefined ? codeIn(declared) : undefined
          const noted = { kind, server, tool, door: 'http', definition, code }
          notes.note(agent, noted, await digestDefinition(definition))
        }
        return c.json(answerOf(checked))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/claim',
      who: ['agent'],
      summary: 'Spend the approval, once, just before running the call.',
      body: object({
        digest: digest('as asked'),
        lease: LEASE,
        definition: optional(DEFINITION),
      }),
      answer: 'The arguments to run with, and the claim to report with.',
      async handle({ c, caller, body }) {
        const agent = agentOf(caller)
        const { id } = await knownApproval(store, c.req.param('id') ?? '', agent)
        const { lease: wanted, definition } = body
        const claimed = await gateOf(agent)[internals].claim(id, body.digest, {
          lease: wanted,
          definition,
        })
        const { claim, args, edited, decision, idempotencyKey, lease, startWithin } = claimed
        const answer: ClaimAnswer = {
          claim,
          args,
          digest: claimed.digest,
          edited: edited !== undefined,
          ...(edited ? { changes: edited.modelMessage } : {}),
          ...(decision === undefined ? {} : { decision }),
          idempotencyKey,
          lease,
          startWithin,
        }
        return c.json(answer)
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/renew',
      who: ['agent'],
      summary: 'Say that the call still runs, before its lease ends.',
      body: object({ claim: CLAIM, lease: LEASE }),
      answer: 'How the approval stands.',
      async handle({ c, caller, body }) {
        const { id } = await knownApproval(store, c.req.param('id') ?? '', agentOf(caller))
        const { claim, lease } = body
        const renewed = await gate[internals].renew({
          id,
          claim,
          ...(lease === undefined ? {} : { lease }),
        })
        return c.json(await agentApproval(store, renewed))
      },
    }),
    route({
      method: 'post',
      path: '/v1/approvals/:id/result',
      who: ['agent'],
      summary: 'Report how the call went.',
      body: object({
        claim: CLAIM,
        outcome: oneOf('succeeded', 'failed'),
        result: optional(anyJson),
        drop: optional(flag),
      }),
      answer: 'How the approval stands.',
      async handle({ c, caller, body }) {
        const { id } = await knownApproval(store, c.req.param('id') ?? '', agentOf(caller))
        return c.json(await agentApproval(store, await gate[internals].finish({ id, ...body })))
      },
    }),
  ]
}

function listed(declared: unknown): readonly unknown[] {
  if (declared === undefined) return []
  return Array.isArray(declared) ? declared : [declared]
}

/** For the page of tools: what the agent's code says, in words. */
function codeIn(declared: unknown): CodeWords | undefined {
  const [words, ...besides] = listed(declared).filter(isPlainObject)
  return words && { words, ...(besides.length > 0 ? { besides } : {}) }
}

/**
 * Who the agent works for decides who may confirm, and who may not approve. So the body names a
 * person only under a token that an admin lets vouch; a bound token says it by itself.
 */
function named(call: Call, { token }: AgentCaller): Call {
  if (call.principal === undefined) return call
  const principal = readAddress(call.principal, 'principal')
  if (token.principal === undefined && token.vouches !== true) {
    throw new CountersignError('principal_unproved', 'this token may not say whom it works for', {
      hint: 'Leave principal out; or use a token made with --principal, or with --vouch.',
    })
  }
  return { ...call, principal }
}

/** Answers about the call. Every other code that stops it is a mistake or a failure. */
const DENIALS: readonly ErrorCode[] = [
  'denied',
  'denied_by_policy',
  'denied_by_mode',
  'expired',
  'withdrawn',
  'invalidated',
  'locked',
  'quarantined',
  'no_eligible_approver',
  'too_many_pending',
  'not_started',
  'not_permitted',
]

function answerOf(checked: Checked): CallAnswer {
  if (checked.status === 'allowed') return { status: 'allowed', args: checked.args }
  if (checked.status === 'blocked') {
    const { code, modelMessage, approval, answer } = checked
    if (!DENIALS.includes(code)) {
      throw new CountersignError(code, modelMessage, { details: { isSentence: true } })
    }
    return {
      status: 'blocked',
      code,
      modelMessage,
      // A reused key may belong to a call for another person.
      ...(approval && code !== 'key_reused' ? { id: approval.id } : {}),
      ...(answer === undefined ? {} : { answer }),
    }
  }
  const { id, askedDigest, decideBy, execution } = checked.approval
  return {
    status: checked.status,
    id,
    digest: askedDigest,
    modelMessage: checked.status === 'pending' ? checked.modelMessage : 'The call was approved.',
    decideBy,
    ...(execution ? { execution: execution.state } : {}),
    ...('payload' in checked ? { payload: checked.payload } : {}),
  }
}
