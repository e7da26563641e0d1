/** The Worker of the proof: every case as a workflow, and the expense with its agent. */
// @ts-expect-error: the platform's own types are not installed here.
import { WorkflowEntrypoint } from 'cloudflare:workers'
import { remoteGate } from 'countersign/client'
import {
  type DurableStep,
  guardStep,
  requireApproval,
  type StepTool,
  type WorkflowGate,
  waitForApproval,
  wake,
} from 'countersign/cloudflare'
import type { Call } from '../../../src/base/call.ts'
import type { Json, JsonObject } from '../../../src/base/json/json.ts'
import { bodies } from '../../../test/workflows/bodies.ts'
import { type ExpenseEnv, expenseRoutes } from '../../../test/workflows/cloudflare/expense.ts'
import { tools } from '../../../test/workflows/tools.ts'

export { ExpenseAgent, ExpenseWorkflow } from '../../../test/workflows/cloudflare/expense.ts'

interface Env extends Omit<ExpenseEnv, 'EXPENSE_WORKFLOW'> {
  readonly CASES: Binding
  readonly EXPENSE_WORKFLOW: Binding
  /** JSON of the places where the Worker is killed, by the `id` of the workflow. */
  readonly DIE: string
}

interface Binding {
  create(options: { id?: string; params: object }): Promise<Instance>
  get(id: string): Promise<Instance>
}

interface Instance {
  readonly id: string
  status(): Promise<{ status: string; output?: unknown; error?: unknown }>
  sendEvent(event: { type: string; payload: unknown }): Promise<void>
  terminate(): Promise<void>
  restart(): Promise<void>
}

interface CaseEvent {
  readonly instanceId: string
  readonly payload: { readonly workflow: string; readonly input: JsonObject }
}

export class CasesWorkflow extends WorkflowEntrypoint {
  declare protected readonly env: Env

  async run(event: CaseEvent, step: DurableStep): Promise<Json> {
    const { workflow, input } = event.payload
    const writing = lines(this.env)
    const gate = dying(this.env)
    const own = { event, step }
    /** What ran is known outside before anything is kept of it. */
    const written = async <T>(work: () => T | Promise<T>): Promise<T> => {
      try {
        return await work()
      } finally {
        await writing.flush()
      }
    }
    const guarded = (tool: StepTool<JsonObject, Json>) =>
      guardStep(gate, {
        ...tool,
        run: (args: JsonObject, context) => written(() => tool.run(args, context)),
      })
    const { pay, break: breaks } = tools(writing, async ({ id }) => {
      if (placesIn(this.env).get(String(id)) !== 'pay tool') return
      await writing.flush()
      await stop(this.env, String(id))
    })
    const [paying, breaking] = [guarded(pay), guarded(breaks)]
    const body = bodies(writing)[workflow]
    if (!body) throw new Error(`there is no workflow ${workflow}`)
    return body({
      input,
      step: async <T>(name: string, work: () => Promise<T>) =>
        (await step.do(name, () => written(work) as Promise<never>)) as T,
      waitForApproval: (request) => waitForApproval(own, gate, request),
      requireApproval: (request) => requireApproval(own, gate, request),
      pay: (args, options) => paying(own, args, options),
      break: (args) => breaking(own, args),
      both: ([one, other]) => Promise.all([one(), other()]),
    })
  }
}

/** Lines are written while a step runs, and sent before it ends. */
function lines({ SINK }: Env) {
  let sending: Promise<unknown> = Promise.resolve()
  return {
    write(line: string) {
      sending = sending.then(() => fetch(SINK, { method: 'POST', body: line }))
    },
    flush: () => sending,
  }
}

function placesIn({ DIE }: Env): ReadonlyMap<string, string> {
  const places = JSON.parse(DIE) as readonly { readonly at: string; readonly of: string }[]
  return new Map(places.map(({ at, of }) => [of, at]))
}

/** A gate over HTTP for one workflow, which stops at its place. */
function dying(env: Env): WorkflowGate {
  const places = placesIn(env)
  const { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token } = env
  const at = async (point: string, { tool, args }: Pick<Call, 'tool' | 'args'>) => {
    const id = String(args.id)
    if (places.get(id) === `${tool} ${point}`) await stop(env, id)
  }
  let running: Pick<Call, 'tool' | 'args'> = { tool: '', args: {} }
  const gate = remoteGate({
    url,
    token,
    announce: false,
    async fetch(input, init) {
      const { pathname } = new URL(String(input))
      if (pathname.endsWith('/claim')) await at('answer.known', running)
      if (pathname.endsWith('/result')) await at('tool.returned', running)
      const answer = await fetch(input, init)
      if (pathname.endsWith('/claim')) await at('claim.committed', running)
      if (pathname.endsWith('/result')) await at('outcome.recorded', running)
      return answer
    },
  })
  return {
    ...gate,
    async check(call, options) {
      await at('unasked', call)
      const checked = await gate.check(call, options)
      await at('question.stored', call)
      // Long enough for an answer, and its wake-up, to come before the workflow waits.
      if (call.tool === 'slow') await new Promise((resolve) => setTimeout(resolve, 700))
      return checked
    },
    async run(call, work, options) {
      running = call
      return gate.run(call, work, options)
    },
  }
}

/** The other side kills the whole process group when all are there, and nothing goes on here. */
async function stop({ SINK }: Env, id: string): Promise<never> {
  await fetch(SINK, { method: 'POST', body: `reached ${id}` })
  return new Promise(() => {})
}

// biome-ignore lint/style/noDefaultExport: this is where workerd looks for the handler.
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/up') return new Response(null, { status: 204 })
    if (pathname === '/countersign') {
      return wake(request, {
        secret: env.COUNTERSIGN_WEBHOOK_SECRET,
        workflows: [env.CASES, env.EXPENSE_WORKFLOW],
        agent: 'biller',
      })
    }
    const routed = await expenseRoutes(request, env)
    if (routed) return routed
    const of = searchParams.get('of') === 'expense' ? env.EXPENSE_WORKFLOW : env.CASES
    try {
      return Response.json(await asked(of, pathname, await request.text(), searchParams))
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 })
    }
  },
}

async function asked(of: Binding, pathname: string, body: string, search: URLSearchParams) {
  const id = search.get('id') ?? ''
  if (pathname === '/start') {
    const { id: instance } = await of.create({
      ...(id === '' ? {} : { id }),
      params: JSON.parse(body) as object,
    })
    return { id: instance }
  }
  const instance = await of.get(id)
  if (pathname === '/terminate') await instance.terminate()
  if (pathname === '/restart') await instance.restart()
  if (pathname === '/nudge') await instance.sendEvent({ type: 'nudge', payload: null })
  if (pathname === '/forge') {
    const payload = { approved: true, metadata: { approvedBy: 'mallory' } }
    for (const type of ['approval', `countersign-${search.get('approval')}`]) {
      await instance.sendEvent({ type, payload })
    }
  }
  return instance.status()
}
