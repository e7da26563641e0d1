/** The expense and its agent in workerd alone, with the contract of Workflows in the agent's object. */
// @ts-expect-error: the platform's own types are not installed here.
import { RpcTarget } from 'cloudflare:workers'
import type { Json } from '../../../src/base/json/json.ts'
import { type KeyValues, type MiniEvent, type MiniStep, MiniWorkflow } from '../mini-cloudflare.ts'
import { ExpenseAgent as Agent, type ExpenseEnv, expenseRoutes } from './expense.ts'

export { ExpenseWorkflow } from './expense.ts'

interface Context {
  readonly storage: {
    readonly kv: {
      get(key: string): Json | undefined
      put(key: string, value: Json): void
      delete(key: string): void
      list(options: { prefix: string }): Iterable<[string, Json]>
    }
  }
}

function storageOf({ storage: { kv } }: Context): KeyValues {
  return {
    get: (key) => kv.get(`mini:${key}`),
    put: (key, value) => kv.put(`mini:${key}`, value),
    delete: (key) => kv.delete(`mini:${key}`),
    keys: (prefix) => [...kv.list({ prefix: `mini:${prefix}` })].map(([key]) => key.slice(5)),
  }
}

export class ExpenseAgent extends Agent {
  /** The platform's own types, which say this, are not installed here. */
  declare readonly ctx: Context
  readonly mini: MiniWorkflow

  constructor(ctx: Context, env: ExpenseEnv) {
    const mini = new MiniWorkflow(storageOf(ctx), 'expense')
    const bound = { ...env, EXPENSE_WORKFLOW: mini }
    super(ctx as never, bound as never)
    this.mini = mini
  }

  /** Goes on with whatever is not over, as the platform does. */
  override onStart(): void {
    setInterval(() => this.work(), 50)
  }

  work(): void {
    const { ExpenseWorkflow } = this.env as unknown as { ExpenseWorkflow: Runner }
    this.mini.work((event, step) => ExpenseWorkflow.run(event, new RemoteStep(step)))
  }
}

/** The class of the workflow, in an isolate of its own as far as anything can tell. */
interface Runner {
  run(event: MiniEvent, step: RemoteStep): Promise<unknown>
}

/** As the platform hands out steps: by reference. */
class RemoteStep extends RpcTarget {
  readonly #step: MiniStep

  constructor(step: MiniStep) {
    super()
    this.#step = step
  }

  do(name: string, work: () => Promise<unknown>): Promise<unknown> {
    return this.#step.do(name, work)
  }

  sleep(...given: Parameters<MiniStep['sleep']>): Promise<void> {
    return this.#step.sleep(...given)
  }

  waitForEvent(...given: Parameters<MiniStep['waitForEvent']>): Promise<unknown> {
    return this.#step.waitForEvent(...given)
  }
}

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(request: Request, env: ExpenseEnv): Promise<Response> {
    const found = await expenseRoutes(request, env)
    return found ?? new Response('not found', { status: 404 })
  },
}
