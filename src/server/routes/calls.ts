import type { CallAnswer, LookAnswer } from '../../api/agent.ts'
import type { Call } from '../../base/call.ts'
import { CountersignError, type ErrorCode } from '../../base/errors.ts'
import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { type MadePreview, readMadePreview } from '../../base/preview/preview.ts'
import { boundedKey, digestDefinition, isLongKey } from '../../gate/content/binding.ts'
import type { CodeWords } from '../../gate/declared/declarations.ts'
import { readForm } from '../../gate/form/read-form.ts'
import type { Gate } from '../../gate/gate.ts'
import { ownerName } from '../../gate/identity.ts'
import { internals } from '../../gate/internals.ts'
import type { Checked, Unasked } from '../../gate/pipeline/check.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { shapedCall } from '../../policy/call.ts'
import { loadDeclaration } from '../../policy/load/load.ts'
import { agentOf, type Route, route, routeReading } from '../http/route.ts'
import { readAddress } from '../identity/address.ts'
import type { AgentCaller } from '../identity/caller.ts'
import { VOUCHED_DOOR } from '../identity/vouched.ts'
import { knownApproval } from '../read-approvals.ts'
import { boundedDeclaration, boundedDefinition } from '../sent-definition.ts'
import type { Services } from '../services.ts'
import { agentApproval } from '../view/agent-view.ts'

interface Asked {
  readonly call: Call
  readonly definition?: ToolDefinition | undefined
  readonly declared?: unknown
  readonly ask?: false
  readonly observe?: true
  readonly longKey?: string
  readonly batch?: string
  readonly countersignature?: string
  readonly waits?: true
  readonly preview?: MadePreview
  readonly previews?: true
}

/**
 * A call, and what the tool is said to do: shown with it, and part of what is approved. Calls are
 * read here by the same code as everywhere else; a test holds it to the schema of the contract.
 */
export function readAsked(value: unknown): Asked {
  if (!isPlainObject(value) || isBare(value)) return { call: shapedCall(value) }
  const { definition, declared, ask, observe, waits, batch, countersignature, ...rest } = value
  const { preview, previews, ...given } = rest
  const { key, ...keyless } = given
  const long = isLongKey(key) ? { longKey: key } : {}
  for (const [name, flag] of Object.entries({ ask, observe, waits, previews })) {
    if (flag === undefined || typeof flag === 'boolean') continue
    throw new CountersignError('invalid_value', `${name} is neither true nor false`)
  }
  return {
    call: shapedCall('longKey' in long ? keyless : given),
    ...long,
    ...readText('batch', batch, { min: 1, max: 1_024 }),
    ...readText('countersignature', countersignature, { min: 0, max: 65_536 }),
    ...(waits === true ? { waits } : {}),
    ...(preview === undefined ? {} : { preview: readMadePreview(preview) }),
    ...(previews === true ? { previews } : {}),
    definition: boundedDefinition(definition),
    ...(declared === undefined ? {} : { declared: boundedDeclaration(declared) }),
    ...(ask === false ? { ask } : {}),
    ...(observe === true ? { observe } : {}),
  }
}

const BESIDES = [
  'definition',
  'declared',
  'ask',
  'observe',
  'waits',
  'batch',
  'countersignature',
  'preview',
  'previews',
] as const

/** A call and nothing else: most are, and then there is nothing to take apart. */
function isBare(value: Record<string, unknown>): boolean {
  for (const name of BESIDES) if (value[name] !== undefined) return false
  return !isLongKey(value.key)
}

function readText<N extends string>(
  name: N,
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
): { readonly [name in N]?: string } {
  if (value === undefined) return {}
  if (typeof value === 'string' && value.length >= min && value.length <= max) {
    return { [name]: value } as { [name in N]: string }
  }
  const says = `is not a text of ${min} to ${max} characters`
  throw new CountersignError('invalid_value', `${name} ${says}`)
}

/** Kept ready at once. More tokens than that only means making some again. */
const MOST_GATES = 1_000

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

  /** The answer for a call that certainly needs no approval, where that can be said at once. */
  function allowedText(asker: AgentCaller, asked: Asked): string | undefined {
    const { call } = asked
    // Anything else about it is for `answerTo`, which says what it means.
    if (Object.keys(asked).length > 1 || call.principal !== undefined) return undefined
    if (call.context !== undefined || call.parent !== undefined) return undefined
    const allowed = gateOf(asker)[internals].allowedBytes(call)
    return allowed && `{"status":"allowed","args":${allowed.text}}`
  }

  /** Reading declarations takes time, and however often it happens it is the agent's own. */
  function chargeDeclared(agent: string, tool: string, declared: unknown): void {
    for (const words of listed(declared)) {
      meter.charge(agent, () => loadDeclaration(tool, words))
    }
  }

  async function answerTo(asker: AgentCaller, asked: Asked): Promise<CallAnswer | LookAnswer> {
    const { call: sent, definition, declared, ask, observe, longKey, ...besides } = asked
    const own = gateOf(asker)
    const agent = ownerName(asker.token.agent)
    // A key only has to tell calls apart, so one of any length is good.
    const given = longKey === undefined ? sent : { ...sent, key: await boundedKey(longKey) }
    const call = named(given, asker)
    const { tool, server, key } = call
    // Without keys of its own an agent that asks again, perhaps after a lost answer, means the
    // same call as long as that one is under way.
    const join = key === undefined ? ({ join: 'digest' } as const) : {}
    chargeDeclared(agent, tool, declared)
    const { form } = call
    if (form) meter.charge(agent, () => readForm(form))
    const said = { ...join, definition, agentDeclared: declared }
    // An agent that runs a call without asking us needs no leave of ours: this only records it.
    const seen = observe && (await meter.on(agent, () => own[internals].observed(call, said)))
    if (seen) return answerOf(seen)
    if (ask === false) {
      const now = await meter.on(agent, () => own[internals].asked(call, said))
      return now ? answerOf(now) : { status: 'unasked' }
    }
    const { batch, countersignature, waits, preview, previews } = besides
    const asking = {
      ...said,
      ...{ isParsed: true, countersignature, waits },
      ...(batch === undefined ? {} : { batch: await ownBatch(agent, batch) }),
    }
    const made = preview ? async () => preview : previews ? 'later' : undefined
    const checked = await meter.on<Checked | Unasked>(agent, () =>
      made ? own[internals].previewed(call, made, asking) : own.check(call, asking),
    )
    if (checked.status === 'unasked') return checked
    const isServed = server !== undefined && policy().owner.servers.has(server)
    // What a server's tools say of themselves comes from the server, never from who calls them.
    if ((definition || declared) && checked.status !== 'allowed' && !isServed) {
      const { kind } = call
      const code = server === undefined ? codeIn(declared) : undefined
      const noted = { kind, server, tool, door: 'http', definition, code }
      notes.note(agent, noted, await digestDefinition(definition))
    }
    return answerOf(checked)
  }

  return [
    routeReading('POST /v1/calls', readAsked, async ({ caller, body, reply, written }) => {
      const asker = agentOf(caller)
      const text = allowedText(asker, body)
      return text === undefined ? reply(200, await answerTo(asker, body)) : written(text)
    }),
    route('POST /v1/approvals/:id/claim', async ({ caller, params, body, reply }) => {
      const agent = agentOf(caller)
      const { id, call } = await knownApproval(store, params.id, agent)
      const { lease: wanted, declared } = body
      const definition = boundedDefinition(body.definition)
      if (declared !== undefined) {
        boundedDeclaration(declared)
        chargeDeclared(ownerName(agent.token.agent), call.tool, declared)
      }
      const claimed = await gateOf(agent)[internals].claim(id, body.digest, {
        lease: wanted,
        definition,
        agentDeclared: declared,
      })
      const { approval: _, ...answer } = claimed
      return reply(200, answer)
    }),
    route('POST /v1/approvals/:id/countersignature', async ({ caller, params, body, reply }) => {
      const { id } = await knownApproval(store, params.id, agentOf(caller))
      const countersignature = await gate[internals].countersign({ id, ...body })
      return reply(200, { countersignature })
    }),
    route('POST /v1/approvals/:id/renew', async ({ caller, params, body, reply }) => {
      const { id } = await knownApproval(store, params.id, agentOf(caller))
      const { claim, lease } = body
      const renewed = await gate[internals].renew({
        id,
        claim,
        ...(lease === undefined ? {} : { lease }),
      })
      return reply(200, await agentApproval(store, renewed))
    }),
    route('POST /v1/approvals/:id/result', async ({ caller, params, body, reply }) => {
      const { id } = await knownApproval(store, params.id, agentOf(caller))
      return reply(200, await agentApproval(store, await gate[internals].finish({ id, ...body })))
    }),
  ]
}

/** Bound to the agent: none can put its calls among those of another. */
function ownBatch(agent: string, batch: string): Promise<string> {
  return digestOf('batch', { agent, batch })
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
    const { code, modelMessage, approval, answer, reason } = checked
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
      ...(reason === undefined ? {} : { reason }),
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
    ...('questions' in checked ? { questions: checked.questions } : {}),
    ...('payload' in checked ? { payload: checked.payload } : {}),
    ...('args' in checked ? { args: checked.args } : {}),
  }
}
