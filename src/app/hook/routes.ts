import { afterTool, beforeTool } from '../../adapters/claude-code/hook.ts'
import { type HookInput, parseHookInput } from '../../adapters/claude-code/hook-input.ts'
import { findCodingAgent } from '../../adapters/coding-agents/agents.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { parsePolicy } from '../../policy/load/parse-policy.ts'
import type { Policy } from '../../policy/policy.ts'
import { type Route, route } from '../../server/http/route.ts'
import { localOperator } from '../../server/identity/invite.ts'
import type { Services } from '../../server/services.ts'
import type { HookQuestion, HookReply, PolicyTexts } from './exchange.ts'
import {
  ASK_PATH,
  HELLO_PATH,
  isProof,
  NONCE,
  NONCE_HEADER,
  PROOF_HEADER,
  proofOf,
} from './proof.ts'
import { addsTo } from './strictest.ts'

export interface HookRouteOptions {
  readonly key: string
  readonly inbox: () => string | undefined
}

/** Longer waits are asked for again: a stop of the server or the hook is noticed in time. */
const LONGEST_HOLD = 20_000
const KEPT_POLICIES = 16

/** Answers the hooks of coding agents on this machine, for callers that can read server.json. */
export function hookRoutes({ key, inbox }: HookRouteOptions) {
  return { routes: (services: Services) => routesOf(services, key, inbox) }
}

function routesOf(
  services: Services,
  key: string,
  inbox: HookRouteOptions['inbox'],
): readonly Route[] {
  const { version, store, gate, stopping } = services
  const load = createLoader()

  async function replyTo(text: string, gone: AbortSignal): Promise<HookReply> {
    const question = readQuestion(text)
    const input = inputOf(question)
    const { issuer, subject } = localOperator()
    const hooked = {
      gate: gate.with({ door: 'hook', agent: input.agent, principal: { issuer, subject } }),
      store,
      waitFor: Math.min(question.wait, LONGEST_HOLD),
      waited: question.waited,
      signal: AbortSignal.any([gone, stopping]),
    }
    if (input.event !== 'PreToolUse') {
      await afterTool(input, hooked)
      return { status: 'answer' }
    }
    const served = await services.policyNow()
    const { sources } = services.active.state()
    const others = question.policies.filter((texts) => !isServed(texts, sources))
    if (others.some((texts) => addsTo(served, load(texts), input))) {
      return { status: 'elsewhere' }
    }
    const said = await beforeTool(input, hooked)
    if ('pending' in said) {
      return { status: 'pending', approval: said.pending.id, inbox: inbox() ?? '' }
    }
    return { status: 'answer', ...(said.output === undefined ? {} : { output: said.output }) }
  }

  return [
    route(`GET ${HELLO_PATH}`, ({ c, reply }) => {
      const nonce = nonceOf(c.req.header(NONCE_HEADER))
      return reply(200, { version, proof: proofOf(key, 'hello', nonce, version) })
    }),
    route(`POST ${ASK_PATH}`, async ({ c, raw }) => {
      const nonce = nonceOf(c.req.header(NONCE_HEADER))
      const text = await c.req.text()
      if (!isProof(c.req.header(PROOF_HEADER), proofOf(key, 'ask', nonce, text))) {
        throw new CountersignError('not_permitted', 'this is for the hook on this machine', {
          hint: 'Run `countersign hook` as the user that runs the server.',
        })
      }
      const answer = JSON.stringify(await replyTo(text, c.req.raw.signal).catch(errorReply))
      const proof = proofOf(key, 'answer', nonce, answer)
      // Otherwise the hook would ask again on this connection and keep it from closing.
      if (stopping.aborted) c.header('connection', 'close')
      return raw(c.body(answer, 200, { 'content-type': 'application/json', [PROOF_HEADER]: proof }))
    }),
  ]
}

function nonceOf(given: string | undefined): string {
  if (given !== undefined && NONCE.test(given)) return given
  throw new CountersignError('invalid_value', `${NONCE_HEADER} is not 32 hexadecimal digits`)
}

function errorReply(error: unknown): HookReply {
  if (!isCountersignError(error)) throw error
  const { code, message, hint } = error
  return { status: 'error', code, message, ...(hint === undefined ? {} : { hint }) }
}

/** The same reading as in the hook. After a call only its name and its end are needed. */
function inputOf({ agent, input, ended }: HookQuestion): HookInput {
  if (ended) return { agent, ...ended, cwd: '/', tool: 'ended', args: {} }
  const reader = findCodingAgent(agent)
  if (reader && input !== undefined) return reader.read(parseHookInput(Buffer.from(input)), false)
  throw new CountersignError('invalid_call', 'the question of the hook is not understood')
}

/** From our own hook, as its proof says, so only gross mistakes are looked for. */
function readQuestion(text: string): HookQuestion {
  const value: unknown = JSON.parse(text)
  const isRight =
    isPlainObject(value) &&
    findCodingAgent(value.agent) !== undefined &&
    (typeof value.input === 'string' || isPlainObject(value.ended)) &&
    Array.isArray(value.policies) &&
    value.policies.length > 0 &&
    Number.isSafeInteger(value.wait) &&
    Number(value.wait) >= 0
  if (isRight) return value as unknown as HookQuestion
  throw new CountersignError('invalid_call', 'the question of the hook is not understood')
}

type Sources = ReturnType<Services['active']['state']>['sources']

/** Whether the policy in force is made of these texts, and perhaps of more governance. */
function isServed({ owner, governance }: PolicyTexts, sources: Sources): boolean {
  const has = (role: 'owner' | 'governance', text: string) =>
    sources.some((source) => source.role === role && source.text === text)
  return (
    (owner === undefined || has('owner', owner.text)) &&
    governance.every(({ text }) => has('governance', text))
  )
}

/** Policies that other folders have, kept for as long as their text is the same. */
function createLoader(): (texts: PolicyTexts) => Policy {
  const kept = new Map<string, Policy>()
  return ({ owner, governance }) => {
    const name = JSON.stringify([owner, governance])
    const known = kept.get(name)
    if (known) return known
    const policy = parsePolicy({ ...(owner ? { owner } : {}), governance })
    const [oldest] = kept.keys()
    if (kept.size >= KEPT_POLICIES && oldest !== undefined) kept.delete(oldest)
    kept.set(name, policy)
    return policy
  }
}
