import proto, { type temporal } from '@temporalio/proto'
import { eventually, type Started, type World } from '../world.ts'
import type { RunningTemporal } from './harness.ts'

const { History } = proto.temporal.api.history.v1

export interface Recorded {
  readonly workflowId: string
  readonly history: { readonly [name: string]: unknown }
}

export function historyIn({ history }: Recorded): temporal.api.history.v1.IHistory {
  return History.fromObject(history)
}

/** Plays one workflow of each kind, and keeps what Temporal stored of it. */
export async function playHistories(world: World): Promise<ReadonlyMap<string, Recorded>> {
  const running = world.running as RunningTemporal
  const recorded = new Map<string, Recorded>()
  const handleOf = ({ id }: Started) => running.client.workflow.getHandle(id)

  async function keep(name: string, started: Started): Promise<void> {
    const fetched = History.fromObject(await handleOf(started).fetchHistory())
    const history = History.toObject(fetched, { longs: String, enums: String, bytes: String })
    recorded.set(name, { workflowId: started.id, history })
  }

  const whole = await running.start('whole', { id: 'recorded', amount: 1 })
  await world.answer(await world.asked(whole, 'review'), 'approve', { payload: { note: 'ok' } })
  await world.answer(await world.asked(whole, 'pay'), 'approve')
  await world.end(whole)
  await keep('approved', whole)

  const refused = await running.start('whole', { id: 'recorded', amount: 2 })
  await world.answer(await world.asked(refused, 'review'), 'deny', { reason: 'No' })
  await world.end(refused)
  await keep('denied', refused)

  const parallel = await running.start('branches', { id: 'recorded' })
  for (const name of ['right', 'left']) {
    await world.answer(await world.asked(parallel, name), 'approve')
  }
  await world.end(parallel)
  await keep('parallel', parallel)

  // Nothing wakes it: it looks.
  const unwoken = await running.start('unwoken', { id: 'recorded' })
  await world.answer(await world.asked(unwoken, 'unwoken'), 'approve')
  await world.end(unwoken)
  await keep('unwoken', unwoken)

  const cancelled = await running.start('expense', { id: 'recorded' })
  await world.asked(cancelled, 'review')
  await eventually('it waits', async () =>
    running.frontend.history(cancelled.id).find((event) => event.timerStartedEventAttributes),
  )
  await keep('waiting', cancelled)
  await handleOf(cancelled).cancel()
  await world.end(cancelled)
  await keep('cancelled', cancelled)
  return recorded
}
