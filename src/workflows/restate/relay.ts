import {
  type Context,
  InvocationIdParser,
  service,
  TerminalError,
} from '@restatedev/restate-sdk/fetch'
import { type Channel, NotDelivered } from '../../gate/notify/channel.ts'
import { wakeChannel } from '../wake.ts'

export const NAME = 'restate'

/** Where Restate listens: its ingress for wake-ups, its admin API for `withdrawEnded`. */
export interface RestateAddress {
  readonly url: string
  /** Sent with every request, such as `authorization` of Restate Cloud. */
  readonly headers?: Readonly<Record<string, string>>
}

export function signalOf(approval: string): string {
  return `countersign:${approval}`
}

const SERVICE = 'countersign'
const LONGEST_ID = 200

/**
 * A service to bind beside your own. Restate lets handlers send signals and nothing else, so
 * `wakeUps` calls this one. It sends empty wake-ups only, never a signal that your handlers wait for.
 */
export const relay = service({
  name: SERVICE,
  handlers: {
    wake: async (ctx: Context, wakeUp: unknown): Promise<void> => {
      const { invocation, approval } = idsOf(wakeUp)
      ctx.invocation(InvocationIdParser.fromString(invocation)).signal(signalOf(approval)).resolve()
    },
  },
  options: {
    // A deploy may take a while; a wake-up that stays lost costs time until the next look only.
    retryPolicy: { maxAttempts: 70, onMaxAttempts: 'kill' },
    journalRetention: 0,
    idempotencyRetention: { hours: 1 },
  },
})

/** The ingress is open to other programs: what is none of ours ends here and is not retried. */
function idsOf(wakeUp: unknown): { readonly invocation: string; readonly approval: string } {
  const { invocation, approval } = (wakeUp ?? {}) as Partial<Record<string, unknown>>
  const areIds =
    typeof invocation === 'string' &&
    /^inv_[0-9A-Za-z]+$/.test(invocation) &&
    typeof approval === 'string' &&
    Math.max(invocation.length, approval.length) <= LONGEST_ID
  if (areIds) return { invocation, approval }
  throw new TerminalError('this is not a wake-up', { errorCode: 400 })
}

/** A channel of the gate: wakes an invocation as soon as its question is over. */
export function wakeUps({ url, headers = {} }: RestateAddress): Channel {
  const to = `${url.replace(/\/+$/, '')}/${SERVICE}/wake/send`
  return wakeChannel(NAME, async ({ workflow, approval, id }, signal) => {
    const answer = await fetch(to, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': id },
      body: JSON.stringify({ invocation: workflow, approval }),
      redirect: 'error',
      signal,
    })
    await answer.body?.cancel()
    if (!answer.ok) throw new NotDelivered(`Restate answered ${answer.status}`)
    // Restate keeps the signal until the invocation waits for it, so it is never too early.
    return true
  })
}
