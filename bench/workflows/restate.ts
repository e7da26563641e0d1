/** Restate with the server it ships by npm: a handler that awaits an awakeable, then runs a step. */
import { createServer } from 'node:http2'
import {
  type Context,
  createEndpointHandler,
  service,
  TerminalError,
} from '@restatedev/restate-sdk'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { relay, requireApproval, wakeUps } from '../../src/workflows/restate/index.ts'
import { startRestate } from '../../test/support/restate.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

interface Input {
  readonly id: string
}

type Handler = (ctx: Context, input: Input) => Promise<unknown>

const { woken, take } = wakes()

const pay = (ctx: Context, id: string) =>
  ctx.run('transfer', () => {
    woken(id)
    return RESULT
  })

export async function own(): Promise<Cycles> {
  const { ingress, admin, worker } = await startRestate()
  const pending = new Map<string, (awakeable: string) => void>()
  await served({ admin, port: worker }, async (ctx, { id }) => {
    const { id: awakeable, promise } = ctx.awakeable<boolean>()
    await ctx.run('asked', () => pending.get(id)?.(awakeable))
    if ((await promise) !== true) throw new TerminalError('not approved')
    return pay(ctx, id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const asked = new Promise<string>((resolve) => pending.set(id, resolve))
      const done = post(`${ingress}/bank/transfer`, { id, ...ARGS })
      const awakeable = await asked
      pending.delete(id)
      const sent = performance.now()
      await post(`${ingress}/restate/awakeables/${awakeable}/resolve`, true)
      await done
      return take(id, sent)
    },
    async close() {},
  }
}

export async function plain(folder: string): Promise<Cycles> {
  const { ingress, admin, worker } = await startRestate()
  const table = await plainTable(folder)
  const { asked, told } = askedOnce<string>()
  await served({ admin, port: worker }, async (ctx, { id }) => {
    const { id: awakeable, promise } = ctx.awakeable<boolean>()
    await ctx.run('ask', async () => {
      await table.ask(id)
      told(id, awakeable)
    })
    await promise
    await ctx.run('answer', () => table.take(id))
    return pay(ctx, id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const done = post(`${ingress}/bank/transfer`, { id, ...ARGS })
      const awakeable = await question
      const sent = performance.now()
      await table.decide(id)
      await post(`${ingress}/restate/awakeables/${awakeable}/resolve`, true)
      await done
      return take(id, sent)
    },
    close: () => table.close(),
  }
}

export async function countersign(folder: string): Promise<Cycles> {
  const { ingress, admin, worker } = await startRestate()
  const store = await openSqlite(`${folder}/countersign.db`)
  const { gate, asked, approve, close } = askingGate(store, [wakeUps({ url: ingress })])
  await served({ admin, port: worker }, async (ctx, { id }) => {
    await requireApproval(ctx, gate, requestOf(id))
    return pay(ctx, id)
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const done = post(`${ingress}/bank/transfer`, { id, ...ARGS })
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await done
      return take(id, sent)
    },
    close,
  }
}

async function served(
  { admin, port }: { admin: string; port: number },
  transfer: Handler,
): Promise<void> {
  const services = [service({ name: 'bank', handlers: { transfer } }), relay]
  const server = createServer(createEndpointHandler({ services, logger: () => {} }))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` })
}

async function post(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`)
}
