/** Inngest: a function that waits for a signal, then a step. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Inngest } from 'inngest'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/inngest/index.ts'
import { type InngestExecutor, startExecutor } from '../../test/support/inngest/executor.ts'
import { clientOf, serveFunctions } from '../../test/workflows/inngest-worker.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

const { woken, take } = wakes()
const CONFIG = { id: 'transfer', triggers: { event: 'bank/transfer' } }
const LOOK_MS = 5

function result(id: string) {
  return async () => {
    woken(id)
    return RESULT
  }
}

async function start(client: Inngest, id: string): Promise<string> {
  const { ids } = await client.send({ name: 'bank/transfer', data: { id, ...ARGS } })
  return ids[0] ?? ''
}

async function ended(executor: InngestExecutor, event: string): Promise<void> {
  for (;;) {
    const end = executor.end(executor.runOf(event))
    if (end && 'output' in end) return
    if (end) throw new Error(JSON.stringify(end))
    await sleep(LOOK_MS)
  }
}

/** A signal that no run waits for is dropped, so it is sent until one does. Resolves to when. */
async function signalled(client: Inngest, id: string): Promise<number> {
  for (;;) {
    const sent = performance.now()
    const { runId } = await client.sendSignal({ signal: `decided:${id}`, data: true })
    if (runId !== undefined) return sent
    await sleep(LOOK_MS)
  }
}

export async function own(): Promise<Cycles> {
  const executor = await startExecutor()
  const client = clientOf(executor.url)
  const transfer = client.createFunction(CONFIG, async ({ event, step }) => {
    const { id } = event.data as { id: string }
    const signal = `decided:${id}`
    await step.waitForSignal('wait', { signal, timeout: '10m', onConflict: 'fail' })
    return step.run('transfer', result(id))
  })
  await serveFunctions(client, [transfer])
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const event = await start(client, id)
      const sent = await signalled(client, id)
      await ended(executor, event)
      return take(id, sent)
    },
    close: () => executor.close(),
  }
}

export async function plain(folder: string): Promise<Cycles> {
  const executor = await startExecutor()
  const client = clientOf(executor.url)
  const table = await plainTable(folder)
  const { asked, told } = askedOnce()
  const transfer = client.createFunction(CONFIG, async ({ event, step }) => {
    const { id } = event.data as { id: string }
    const signal = `decided:${id}`
    await step.run('ask', () => table.ask(id).then(() => told(id)))
    await step.waitForSignal('wait', { signal, timeout: '10m', onConflict: 'fail' })
    await step.run('answer', () => table.take(id))
    return step.run('transfer', result(id))
  })
  await serveFunctions(client, [transfer])
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const event = await start(client, id)
      await question
      const begun = performance.now()
      await table.decide(id)
      await signalled(client, id)
      await ended(executor, event)
      return take(id, begun)
    },
    async close() {
      await executor.close()
      await table.close()
    },
  }
}

export async function countersign(folder: string): Promise<Cycles> {
  const executor = await startExecutor()
  const client = clientOf(executor.url)
  const store = await openSqlite(`${folder}/countersign.db`)
  const { gate, asked, approve, close } = askingGate(store, [wakeUps(client)])
  const transfer = client.createFunction(CONFIG, async (ctx) => {
    const { id } = ctx.event.data as { id: string }
    await requireApproval(ctx, gate, requestOf(id))
    return ctx.step.run('transfer', result(id))
  })
  await serveFunctions(client, [transfer])
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const event = await start(client, id)
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await ended(executor, event)
      return take(id, sent)
    },
    async close() {
      await executor.close()
      await close()
    },
  }
}
