import type { Answered, Running, Sender } from './harness.ts'

/** What an enforcement point of AuthZEN sends, written from the examples of the specification. */
export interface Evaluation {
  readonly subject: object
  readonly action: { readonly name: string; readonly properties?: object }
  readonly resource: { readonly type: string; readonly id: string; readonly properties?: unknown }
  readonly context?: object
}

export function evaluation(
  tool: string,
  properties: object = {},
  context?: object,
  agent = 'bot',
): Evaluation {
  return {
    subject: { type: 'agent', id: agent },
    action: { name: tool },
    resource: { type: 'tool', id: tool, properties },
    ...(context ? { context } : {}),
  }
}

export interface Decided {
  readonly decision: boolean
  readonly context?: {
    readonly reason?: string
    readonly evaluation_id?: string
    readonly access_request?: { readonly endpoint: string; readonly expires_at: string }
    readonly next_action?: string
    readonly approval?: { readonly id: string; readonly approved_until: string }
    readonly 'urn:countersign:claim'?: {
      readonly id: string
      readonly claim: string
      readonly result: string
      readonly renew: string
    }
  }
}

export interface Tasked {
  readonly task: { readonly id: string; readonly status: string; readonly status_endpoint: string }
  readonly result?: {
    readonly mode: string
    readonly approval: { readonly id: string; readonly approved_until: string }
    readonly 'urn:countersign:edited'?: Evaluation
  }
}

/** An enforcement point with the token of one agent. */
export function enforcementPoint({ send }: Pick<Running, 'send'>, as: Sender) {
  const answered = (body: object) => send('/access/v1/evaluation', { as, body })
  async function evaluate(body: object): Promise<Decided> {
    return (await answered(body)).body as Decided
  }
  /** The denial as it has to be echoed. */
  function denialOf({ context = {} }: Decided) {
    const { evaluation_id, access_request, reason } = context
    return { evaluation_id, expires_at: access_request?.expires_at, reason }
  }
  function request(body: object, key?: string): Promise<Answered> {
    const headers = { 'idempotency-key': key ?? '' }
    return send('/access/v1/requests', { as, body, ...(key === undefined ? {} : { headers }) })
  }
  /** Evaluates, and requests what was denied. */
  async function requested(body: object, more: object = {}, key?: string): Promise<Tasked> {
    const denial = denialOf(await evaluate(body))
    return (await request({ ...body, denial, ...more }, key)).body as Tasked
  }
  async function task(id: string): Promise<Tasked> {
    return (await send(`/access/v1/requests/${id}`, { as })).body as Tasked
  }
  const cancel = (id: string) => send(`/access/v1/requests/${id}/cancel`, { as, method: 'POST' })
  return { answered, evaluate, denialOf, request, requested, task, cancel }
}

/** As the profile wants it: the approval, unchanged, in the context. */
export function withApproval(body: Evaluation, approval: unknown): Evaluation {
  return { ...body, context: { ...body.context, approval } }
}
