import { memoryStore } from '../../src/store/memory/index.ts'
import { type Evaluation, enforcementPoint, evaluation } from './authzen-client.ts'
import { running } from './harness.ts'

/** A call whose every part says something. */
export const PLACED = {
  ...evaluation('pay', { amount: 500, to: 'Lena' }),
  resource: { type: 'account', id: 'A-1', properties: { amount: 500, to: 'Lena' } },
  action: { name: 'pay', properties: { mode: 'instant' } },
  context: { ticket: 'T-1' },
}

/** Everything a forger could have seen: two agents, two tenants, approvals in every state. */
export async function world() {
  const own = running()
  const elsewhere = running({ store: memoryStore({ tenant: 'elsewhere' }) })
  const ana = await own.person('ana@example.com')
  const bot = await own.agent('bot')
  const mal = await own.agent('mal')
  const far = await elsewhere.agent('bot')
  const [pep, malPep, farPep] = [
    enforcementPoint(own, bot),
    enforcementPoint(own, mal),
    enforcementPoint(elsewhere, far),
  ]
  async function decide(id: string, verdict: string, at = own, as = ana) {
    const place = `/v1/approvals/${id}`
    const { digest } = (await at.send(place, { as })).body as { digest: string }
    await at.send(`${place}/decisions`, { as, body: { verdict, digest, reason: 'x' } })
  }
  async function approvedFor(point: typeof pep, body: Evaluation, key: string) {
    const { id } = (await point.requested(body, {}, key)).task
    if (point === farPep) {
      await decide(id, 'approve', elsewhere, await elsewhere.person('ana@example.com'))
    } else await decide(id, 'approve')
    const { result } = await point.task(id)
    return { id, approval: result?.approval as { id: string; approved_until: string } }
  }
  return { own, elsewhere, ana, bot, mal, far, pep, malPep, farPep, decide, approvedFor }
}

export type World = Awaited<ReturnType<typeof world>>
