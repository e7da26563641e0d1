import { type Evaluation, enforcementPoint, evaluation } from './authzen-client.ts'
import { type RunningOptions, running } from './harness.ts'

export const PAY = evaluation('pay', { amount: 500, to: 'Lena' })
export const SMALL = evaluation('pay', { amount: 5, to: 'Lena' })

export async function open(options: RunningOptions = {}) {
  const own = running(options)
  const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
  async function decide(id: string, more: object = { verdict: 'approve' }) {
    const at = `/v1/approvals/${id}`
    const { digest } = (await own.send(at, { as: ana })).body as { digest: string }
    return own.send(`${at}/decisions`, { as: ana, body: { digest, ...more } })
  }
  const pep = enforcementPoint(own, bot)
  /** Requested and approved: the call, and the approval to present. */
  async function approved(body: Evaluation = PAY) {
    const { task } = await pep.requested(body)
    await decide(task.id)
    return { id: task.id, approval: (await pep.task(task.id)).result?.approval }
  }
  return { ...own, ...pep, bot, ana, decide, approved }
}
