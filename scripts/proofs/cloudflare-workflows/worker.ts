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
import type { Json, JsonObject } from '../../../src/base/json/json.ts'
import { bodies } from '../../../test/workflows/bodies.ts'
import { type ExpenseEnv, expenseRoutes } from '../../../test/workflows/cloudflare/expense.ts'
import { tools } from '../../../test/workflows/tools.ts'

export { ExpenseAgent, ExpenseWorkflow } from '../../../test/workflows/cloudflare/expense.ts'

interface Env extends Omit<ExpenseEnv, 'EXPENSE_WORKFLOW'> {
  readonly CASES: Binding
  readonly EXPENSE_WORKFLOW: Binding
  /** `pay claim.committed`: the Worker is killed there. */
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
    const written = async <T>(work: () => T | Promise<T>, isLast = false): Promise<T> => {
      try {
        return await work()
      } finally {
        await writing.flush()
        if (isLast) await die(this.env)
      }
    }
    const guarded = (tool: StepTool<JsonObject, Json>) =>
      guardStep(gate, {
        ...tool,
        run: (args: JsonObject, context) =>
          written(() => tool.run(args, context), args.dies === this.env.DIE),
      })
    const { pay, break: breaks } = tools(writing)
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

/** A gate over HTTP that has the Worker killed at one place. */
function dying(env: Env): WorkflowGate {
  const [dieAt = '', point = ''] = env.DIE.split(' ')
  const { COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token } = env
  let tool = ''
  const gate = remoteGate({
    url,
    token,
    announce: false,
    async fetch(input, init) {
      const { pathname } = new URL(String(input))
      const isNext =
        (point === 'answer.known' && pathname.endsWith('/claim')) ||
        (point === 'tool.returned' && pathname.endsWith('/result'))
      if (tool === dieAt && isNext) await die(env)
      const answer = await fetch(input, init)
      const isHere =
        (point === 'claim.committed' && pathname.endsWith('/claim')) ||
        (point === 'outcome.recorded' && pathname.endsWith('/result'))
      if (tool === dieAt && isHere) await die(env)
      return answer
    },
  })
  return {
    ...gate,
    async check(call, options) {
      if (call.tool === dieAt && point === 'unasked') await die(env)
      const checked = await gate.check(call, options)
      if (call.tool === dieAt && point === 'question.stored') await die(env)
      // Long enough for an answer, and its wake-up, to come before the workflow waits.
      if (call.tool === 'slow') await new Promise((resolve) => setTimeout(resolve, 700))
      return checked
    },
    async run(call, work, options) {
      tool = call.tool
      return gate.run(call, work, options)
    },
  }
}

/** The other side kills the whole process group, and nothing goes on here. */
async function die({ SINK }: Env): Promise<never> {
  await fetch(SINK, { method: 'POST', body: 'die' })
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
