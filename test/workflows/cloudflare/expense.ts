/** The expense of the SDK's own page, with its agent: for workerd. */
import {
  type Connection,
  type ConnectionContext,
  callable,
  getAgentByName,
  routeAgentRequest,
} from 'agents'
import type { AgentWorkflowEvent, AgentWorkflowStep } from 'agents/workflows'
import { remoteGate } from 'countersign/client'
import {
  ApprovalAgent,
  ApprovalWorkflow,
  type CalledFrom,
  type PendingApproval,
} from 'countersign/cloudflare/agents'

export interface ExpenseEnv {
  readonly COUNTERSIGN_URL: string
  readonly COUNTERSIGN_TOKEN: string
  readonly COUNTERSIGN_WEBHOOK_SECRET: string
  /** Where steps do what they do: it outlives every Worker. */
  readonly SINK: string
  /** Who has which session of the application: JSON. */
  readonly SESSIONS: string
  readonly EXPENSE_WORKFLOW: {
    get(id: string): Promise<{
      status(): Promise<unknown>
      restart(): Promise<void>
      sendEvent(event: { type: string; payload: unknown }): Promise<void>
    }>
  }
}

export interface Expense {
  readonly amount: number
  /** The user who submitted it, as the agent knows them. */
  readonly by: string
  /** `require`: the workflow has nothing to do without a yes. */
  readonly how?: 'wait' | 'require' | 'two' | 'pay'
  readonly timeout?: string
  readonly looks?: readonly string[]
  /** Then others than the user must approve. */
  readonly approvers?: readonly string[]
}

async function note({ SINK }: ExpenseEnv, line: string): Promise<void> {
  await fetch(SINK, { method: 'POST', body: line })
}

function gateOf({ COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token }: ExpenseEnv) {
  return remoteGate({ url, token, announce: false })
}

export class ExpenseWorkflow extends ApprovalWorkflow<ExpenseAgent, Expense, object, ExpenseEnv> {
  protected gate({ by }: Expense) {
    return gateOf(this.env).with({ principal: by })
  }

  async run({ payload }: AgentWorkflowEvent<Expense>, step: AgentWorkflowStep): Promise<unknown> {
    const { amount, how = 'wait', timeout = '7 days', approvers, looks } = payload as Expense
    const id = this.workflowId
    // The platform's own types, which say what a step is, are not installed here.
    const durable = step as unknown as { do(name: string, work: unknown): Promise<unknown> }
    await durable.do('validate', () => note(this.env, `validate ${id}`))
    const title = `Awaiting approval for $${amount}`
    const request = { title, args: { amount }, timeout, looks, approvers }

    if (how === 'pay') {
      const pay = this.guardStep({
        name: 'pay',
        approval: true,
        run: async (args: { amount: number }) => {
          await note(this.env, `pay ${id} ${args.amount}`)
          return { paid: args.amount }
        },
      })
      return pay(step, { amount })
    }
    if (how === 'require') {
      await this.requireApproval(step, request)
      await durable.do('process', () => note(this.env, `process ${id}`))
      return 'processed'
    }
    if (how === 'two') {
      const first = await this.waitForApproval(step, request)
      const second = await this.waitForApproval(step, request)
      return [first.status, second.status]
    }
    const approval = await this.waitForApproval<{ approvedBy: string }>(step, request)
    if (approval.status === 'expired') {
      await step.reportError('Approval timeout - escalating to manager')
      throw new Error('Approval timeout')
    }
    if (approval.status !== 'approved') return approval
    await this.reportProgress({ step: 'process', status: 'running', percent: 0.5 })
    await durable.do('process', () => note(this.env, `process ${id}`))
    const result = { status: approval.status, approvedBy: approval.payload?.approvedBy ?? null }
    await step.reportComplete(result)
    return result
  }
}

interface State {
  readonly pendingApprovals: readonly PendingApproval[]
}

export class ExpenseAgent extends ApprovalAgent<ExpenseEnv, State> {
  /** The platform's own types, which say this, are not installed here. */
  declare protected readonly env: ExpenseEnv
  override initialState: State = { pendingApprovals: [] }

  protected gate() {
    return gateOf(this.env)
  }

  /** The session was looked at when the connection was opened. */
  override onConnect(connection: Connection, { request }: ConnectionContext): void {
    const session = new URL(request.url).searchParams.get('session') ?? ''
    const sessions = new Map(Object.entries(JSON.parse(this.env.SESSIONS) as object))
    connection.setState({ email: sessions.get(session) ?? null })
  }

  protected signedIn({ connection }: CalledFrom) {
    const { email } = (connection?.state ?? {}) as { email?: string | null }
    return email ? ({ email, emailVerified: true } as const) : undefined
  }

  @callable()
  async submit(id: string, expense: Expense): Promise<string> {
    const options = { id, agentBinding: 'ExpenseAgent' }
    return this.runWorkflow('EXPENSE_WORKFLOW', expense, options)
  }

  @callable()
  async approve(workflowId: string, approvedBy: string, approval?: string): Promise<void> {
    const metadata = { approvedBy, approvedAt: 0 }
    const which = approval === undefined ? {} : { approval }
    await this.approveWorkflow(workflowId, { reason: 'Expense approved', metadata, ...which })
  }

  @callable()
  async reject(workflowId: string, reason: string): Promise<void> {
    await this.rejectWorkflow(workflowId, { reason })
  }

  @callable()
  async terminate(workflowId: string): Promise<void> {
    await this.terminateWorkflow(workflowId)
  }

  @callable()
  pending(): PendingApproval[] {
    return this.pendingApprovals()
  }

  @callable()
  async look(id: string): Promise<unknown> {
    const { EXPENSE_WORKFLOW: workflow } = this.env
    return (await workflow.get(id)).status()
  }

  /** From its first step on. */
  @callable()
  async again(id: string): Promise<void> {
    await (await this.env.EXPENSE_WORKFLOW.get(id)).restart()
  }

  /** As any code with the binding can. */
  @callable()
  async forge(id: string, approval: string): Promise<void> {
    const instance = await this.env.EXPENSE_WORKFLOW.get(id)
    const payload = { approved: true, metadata: { approvedBy: 'mallory' } }
    for (const type of ['approval', `countersign-${approval}`]) {
      await instance.sendEvent({ type, payload })
    }
  }

  /** What reaches the agent from code of its own, such as a schedule. */
  async approveUnasked(workflowId: string): Promise<void> {
    await this.approveWorkflow(workflowId, { metadata: { approvedBy: 'the agent itself' } })
  }

  override onPendingApprovals(pending: readonly PendingApproval[]): void {
    this.setState({ ...this.state, pendingApprovals: pending })
  }

  override async onWorkflowProgress(_: string, id: string, progress: unknown): Promise<void> {
    const { step, status, message } = progress as Record<'step' | 'status' | 'message', string>
    await note(this.env, `progress ${id} ${step} ${status} ${message}`)
  }

  override async onWorkflowComplete(_: string, id: string, result?: unknown): Promise<void> {
    await note(this.env, `complete ${id} ${JSON.stringify(result)}`)
  }

  override async onWorkflowError(_: string, id: string, error: string): Promise<void> {
    await note(this.env, `error ${id} ${error}`)
  }
}

/** Undefined for every other request. */
export async function expenseRoutes(
  request: Request,
  env: ExpenseEnv,
): Promise<Response | undefined> {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname !== '/unasked') return (await routeAgentRequest(request, env)) ?? undefined
  const { ExpenseAgent: namespace } = env as unknown as { ExpenseAgent: never }
  const agent = await getAgentByName<object, ExpenseAgent>(namespace, 'main')
  try {
    await (agent as ExpenseAgent).approveUnasked(searchParams.get('id') ?? '')
    return Response.json('approved')
  } catch (error) {
    return Response.json(String(error))
  }
}
