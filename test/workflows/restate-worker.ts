import { createServer } from 'node:http2'
import {
  type Context,
  createEndpointHandler,
  InvocationIdParser,
  RestatePromise,
  service,
} from '@restatedev/restate-sdk'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import {
  guardStep,
  relay,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/restate/index.ts'
import type { Doing } from './bodies.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

interface Branch {
  readonly body: string
  readonly input: JsonObject
  readonly index: 0 | 1
}

export async function wakeUps({ own }: WorkerConfig) {
  return wakeUpsOf({ url: own?.ingress ?? '' })
}

export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)

  const doing = (ctx: Context, input: JsonObject, both: Doing['both']): Doing => ({
    input,
    step: (label, does) => ctx.run(label, does),
    waitForApproval: (request) => waitForApproval(ctx, gate, request),
    requireApproval: (request) => requireApproval(ctx, gate, request),
    pay: (args, options) => pay(ctx, args, options),
    break: (args) => breaks(ctx, args),
    both,
  })

  const body = (name: string) => {
    const found = bodies[name]
    if (!found) throw new Error(`there is no workflow ${name}`)
    return found
  }

  /** Restate wants a branch of several steps to be an invocation of its own. */
  const branches = service({
    name: 'branches',
    handlers: {
      run: async (ctx: Context, { body: name, input, index }: Branch): Promise<Json> =>
        (await body(name)(doing(ctx, input, async (works) => [await works[index]()]))) as Json,
    },
  })

  const cases = service({
    name: 'cases',
    handlers: Object.fromEntries(
      Object.entries(bodies).map(([name, one]) => [
        name,
        async (ctx: Context, input: JsonObject): Promise<Json> => {
          const branch = (index: Branch['index']) =>
            ctx.serviceClient(branches).run({ body: name, input, index })
          const both = async () => {
            const done = await RestatePromise.all([branch(0), branch(1)])
            return done.map((result) => (result as Json[])[0])
          }
          return (await one(doing(ctx, input, both as Doing['both']))) as Json
        },
      ]),
    ),
  })

  const services = [cases, branches, forger, relay]
  const server = createServer(createEndpointHandler({ services, logger: () => {} }))
  await new Promise<void>((resolve) =>
    server.listen(Number(config.own?.port), '127.0.0.1', resolve),
  )
  const registered = await fetch(`${config.own?.admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${config.own?.port}`, force: true }),
  })
  if (!registered.ok) throw new Error(`not registered: ${await registered.text()}`)
}

/** What another service of the same cluster can send: claims, refusals and bytes that are no JSON. */
const forger = service({
  name: 'forger',
  handlers: {
    forge: async (ctx: Context, to: { invocation: string; approval: string; form: number }) => {
      const name = `countersign:${to.approval}`
      const target = ctx.invocation(InvocationIdParser.fromString(to.invocation))
      if (to.form === 0) target.signal(name).resolve({ approved: true, status: 'approved' })
      else if (to.form === 1) target.signal(name).reject('Cancelled')
      else target.signal(name, GARBAGE).resolve('{"approved":')
    },
  },
})

const GARBAGE = {
  serialize: (text: string) => new TextEncoder().encode(text),
  deserialize: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
}
