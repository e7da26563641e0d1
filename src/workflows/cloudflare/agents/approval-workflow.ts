import type { Agent } from 'agents'
import {
  AgentWorkflow,
  type AgentWorkflowEvent,
  type AgentWorkflowStep,
  type DefaultProgress,
  type WorkflowCallback,
  WorkflowRejectedError,
} from 'agents/workflows'
import type { Json, JsonObject } from '../../../base/json/json.ts'
import { type Decision, NotApproved } from '../../decision.ts'
import type { StepOptions, StepTool } from '../../guard-step.ts'
import type { ApprovalRequest } from '../../question.ts'
import { askPeople, askThenRun } from '../ask.ts'
import type { DurableStep, WorkflowRun } from '../engine.ts'
import { type ReportingGate, reportToPage, runReportOf } from './run-page.ts'

type CloudflareEnv = ConstructorParameters<typeof AgentWorkflow>[1]

/**
 * `AgentWorkflow` without its own `waitForApproval`, which returns another type and takes the answer
 * from an event that any code with the binding can send.
 */
declare abstract class Base<A extends Agent, Progress, Env> {
  constructor(ctx: ConstructorParameters<typeof AgentWorkflow>[0], env: Env)
  protected readonly ctx: ConstructorParameters<typeof AgentWorkflow>[0]
  protected readonly env: Env
  get agent(): AgentWorkflow<A>['agent']
  get workflowId(): string
  get workflowName(): string
  protected reportProgress(progress: Progress): Promise<void>
  /** What the SDK itself calls for progress, completion and errors, caught ones included. */
  protected notifyAgent(callback: WorkflowCallback): Promise<void>
  protected broadcastToClients(message: unknown): void
  protected extendStep(step: AgentWorkflowStep, event: unknown): AgentWorkflowStep
}

/** How a wait ends that no answer came to. Cloudflare's own class of this name is not public. */
export class WorkflowTimeoutError extends Error {
  override readonly name = 'WorkflowTimeoutError'
}

/** An `AgentWorkflow` whose `waitForApproval` asks at Countersign. */
export abstract class ApprovalWorkflow<
  AgentType extends Agent = Agent,
  Params = unknown,
  Progress = DefaultProgress,
  Env extends CloudflareEnv = CloudflareEnv,
> extends (AgentWorkflow as unknown as typeof Base)<AgentType, Progress, Env> {
  abstract run(event: AgentWorkflowEvent<Params>, step: AgentWorkflowStep): Promise<unknown>

  private given: Params | undefined
  /** The newest question of this run: what reports are sent with. */
  private asked: string | undefined

  /**
   * One of `remoteGate`, made from the environment and, for the user that the workflow runs for,
   * from its parameters. Called for each question.
   */
  protected abstract gate(params: Params): ReportingGate

  protected override extendStep(
    step: AgentWorkflowStep,
    event: AgentWorkflowEvent<Params>,
  ): AgentWorkflowStep {
    this.given = event.payload as Params
    // An object may run again: what another run asked is not its page.
    this.asked = undefined
    return super.extendStep(step, event)
  }

  /** Asks people, and resolves with what they answered: after a minute or after a week. */
  protected waitForApproval<P = Json>(
    step: AgentWorkflowStep,
    request: ApprovalRequest = {},
  ): Promise<Decision<P>> {
    return this.noted(askPeople<P>(this.asking(step), this.gate(this.given as Params), request))
  }

  /**
   * Also shows what the workflow reports on the page of its run. Only information: a server that is
   * away fails no step, and before its first question a workflow has no page.
   */
  protected override async notifyAgent(callback: WorkflowCallback): Promise<void> {
    await super.notifyAgent(callback)
    const report = runReportOf(callback)
    if (this.asked === undefined || !report) return
    await reportToPage(this.gate(this.given as Params), this.asked, report)
  }

  /**
   * The same for workflows that have nothing to do without a yes: reports the error to the agent and
   * throws the SDK's `WorkflowRejectedError`, or `WorkflowTimeoutError`. The `cause` is `NotApproved`.
   */
  protected async requireApproval<P = Json>(
    step: AgentWorkflowStep,
    request: ApprovalRequest = {},
  ): Promise<Decision<P> & { readonly status: 'approved' }> {
    const decision = await this.waitForApproval<P>(step, request)
    const { status, reason, message = '' } = decision
    if (status === 'approved') return { ...decision, status }
    const error =
      status === 'expired'
        ? new WorkflowTimeoutError(message)
        : new WorkflowRejectedError(reason ?? message, this.workflowId)
    error.cause = new NotApproved(decision as Decision)
    await step.reportError(error)
    throw error
  }

  /** A tool as a durable step that asks first where the policy says so, and runs at most once. */
  protected guardStep<A extends JsonObject, R>(tool: StepTool<A, R>) {
    return (step: AgentWorkflowStep, args: A, options?: StepOptions): Promise<R> =>
      askThenRun(this.asking(step), this.gate(this.given as Params), tool, { args, options })
  }

  private async noted<P>(deciding: Promise<Decision<P>>): Promise<Decision<P>> {
    const decision = await deciding
    this.asked = decision.approval ?? this.asked
    return decision
  }

  private asking(step: AgentWorkflowStep): WorkflowRun {
    return {
      event: { instanceId: this.workflowId },
      step: step as AgentWorkflowStep & DurableStep,
      report: (progress) => this.reportProgress(progress as Progress),
      onAsked: (approval) => {
        this.asked = approval
      },
    }
  }
}
