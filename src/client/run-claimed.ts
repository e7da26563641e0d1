import type { AgentApproval, ClaimAnswer } from '../api/agent.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'
import { blocked, type Outcome } from '../gate/outcome.ts'
import { endedBy } from '../gate/pipeline/ended-by.ts'
import type { NamedTool } from '../gate/tool.ts'
import { isAway, isUnheard, pauseAfter } from './away.ts'
import type { Connection } from './connection.ts'

const ATTEMPTS = 5

/** Spends the approval, runs the call, and tells the server how it went. */
export async function runClaimed<R>(
  connection: Connection,
  { id, digest }: AgentApproval,
  tool: NamedTool<R>,
  { signal, drop }: { readonly signal: AbortSignal | undefined; readonly drop: boolean },
): Promise<Outcome<R>> {
  const { definition } = tool
  const body = { digest, ...(definition ? { definition } : {}) }
  const claim = await spend(connection, id, body)
  if (claim === 'lost') return blocked('not_started', { tool: tool.name })
  const { claimed, sent } = claim
  const report = (outcome: 'succeeded' | 'failed', result: unknown) => {
    const kept = drop && outcome === 'succeeded' ? { drop } : { result }
    return tell(connection, id, { claim: claimed.claim, outcome, ...kept })
  }
  if (signal?.aborted || performance.now() - sent >= claimed.startWithin) {
    await report('failed', { code: 'not_started', message: 'it was claimed and never started' })
    return blocked(signal?.aborted ? 'withdrawn' : 'not_started', { tool: tool.name })
  }
  const stop = keepLease(connection, id, claimed)
  const ended = await start(tool, claimed, signal).finally(stop)
  const changes = claimed.changes === undefined ? {} : { modelMessage: claimed.changes }
  const attached = claimed.decision === undefined ? {} : { payload: claimed.decision as Json }
  const unrecorded = (isTold: boolean) => (isTold ? {} : { unrecorded: true as const })
  if ('result' in ended) {
    const isTold = await report('succeeded', ended.result)
    const { result } = ended
    return {
      status: 'succeeded',
      ran: true,
      result,
      ...attached,
      ...changes,
      ...unrecorded(isTold),
    }
  }
  const end = endedBy(tool.name, ended.error, { id })
  // Of an unknown outcome nothing is told: the lease runs out, and then the server knows as much.
  if (end.status === 'unknown') return end
  const code = end.status === 'blocked' ? { code: end.code } : {}
  const isTold = await report('failed', { ...code, message: end.modelMessage })
  return { ...end, ...(end.status === 'failed' ? attached : {}), ...unrecorded(isTold) }
}

/**
 * A claim whose answer was lost may have been made: a caller that asks again is told so, and must
 * not start a call whose claim is no longer held.
 */
async function spend({ send }: Connection, id: string, wanted: object) {
  let isDoubtful = false
  for (let attempt = 1; ; attempt += 1) {
    const sent = performance.now()
    try {
      const path = `/v1/approvals/${id}/claim`
      const { body } = await send(path, { method: 'POST', body: wanted })
      return { claimed: body as ClaimAnswer, sent }
    } catch (error) {
      if (isDoubtful && isCountersignError(error, 'already_claimed')) return 'lost' as const
      if (!isAway(error) || attempt === ATTEMPTS) throw error
      isDoubtful ||= !isUnheard(error)
      await pauseAfter(error, 200 * 2 ** attempt)
    }
  }
}

async function start<R>(
  tool: NamedTool<R>,
  { args, decision, idempotencyKey, edited }: ClaimAnswer,
  signal: AbortSignal | undefined,
): Promise<{ readonly result: R } | { readonly error: unknown }> {
  const context = {
    approval: undefined,
    decision: decision as Json | undefined,
    idempotencyKey,
    signal,
    edited,
  }
  try {
    return { result: await tool.start(args as JsonObject, context) }
  } catch (error) {
    return { error }
  }
}

/** Says that the call still runs. A server that is away for a moment is told the next time. */
function keepLease({ send }: Connection, id: string, { claim, lease }: ClaimAnswer): () => void {
  const renew = () =>
    send(`/v1/approvals/${id}/renew`, { method: 'POST', body: { claim, lease } }).catch(() => {})
  const timer = setInterval(() => void renew(), lease / 3)
  return () => clearInterval(timer)
}

/** Whether the server knows. A result that is not JSON is left out; how it ended counts all the same. */
async function tell(
  { send }: Connection,
  id: string,
  {
    claim,
    outcome,
    result,
    drop,
  }: { claim: string; outcome: string; result?: unknown; drop?: boolean },
): Promise<boolean> {
  let body: object = {
    claim,
    outcome,
    ...(result === undefined ? {} : { result }),
    ...(drop ? { drop } : {}),
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    try {
      await send(`/v1/approvals/${id}/result`, { method: 'POST', body })
      return true
    } catch (error) {
      if (isAway(error)) await pauseAfter(error, 200 * 2 ** attempt)
      else if ('result' in body) body = { claim, outcome, drop: true }
      else return false
    }
  }
  return false
}
