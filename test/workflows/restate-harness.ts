import { connect, SendOpts } from '@restatedev/restate-sdk-clients'
import type { Json } from '../../src/base/json/json.ts'
import { wakeUps } from '../../src/workflows/restate/index.ts'
import { startRestate } from '../support/restate.ts'
import type { EngineHarness } from './world.ts'

/** The real server, from npm, with a worker that it calls. */
export const restate: EngineHarness = {
  name: 'Restate',
  engine: 'restate',
  async open() {
    const { ingress, admin, worker, stop } = await startRestate()
    const client = connect({ url: ingress })
    let started = 0

    return {
      database: admin,
      own: { ingress, admin, port: String(worker) },
      wakeUps: wakeUps({ url: ingress }),
      async start(name, input, id) {
        started += 1
        // With a key, Restate keeps the result.
        const key = id ?? `${name}-${String(input.id)}-${started}`
        const opts = SendOpts.from<Json>({ idempotencyKey: key })
        const sent = { service: 'cases', handler: name, parameter: input, opts }
        const { invocationId } = await client.send<Json>(sent)
        return { id: invocationId }
      },
      async result({ id }) {
        const answer = await fetch(`${ingress}/restate/invocation/${id}/output`)
        const text = await answer.text()
        if (answer.ok) return { output: JSON.parse(text) as Json }
        // 470: it is not ready.
        return answer.status === 470 ? undefined : { error: text }
      },
      async cancel({ id }) {
        await fetch(`${admin}/invocations/${id}/cancel`, { method: 'PATCH' })
      },
      async forge({ id }, approval) {
        const to = { invocation: id, approval }
        for (const form of [0, 1, 2]) {
          const parameter = { ...to, form }
          await client.call<Json, void>({ service: 'forger', handler: 'forge', parameter })
        }
        const parameter = { ...to, approved: true }
        await client.call<Json, void>({ service: 'countersign', handler: 'wake', parameter })
      },
      async children({ id }) {
        const query = `select id from sys_invocation where invoked_by_id = '${id}'`
        const answer = await fetch(`${admin}/query`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          body: JSON.stringify({ query }),
        })
        const { rows } = (await answer.json()) as { rows: { id: string }[] }
        return rows.map((row) => row.id)
      },
      // Restate notices that the connection of a worker is gone, and calls the next one.
      async expireLeases() {},
      close: stop,
    }
  },
}
