import { Agent, type Connection, getCurrentAgent } from 'agents'
import type { WorkflowCallback } from 'agents/workflows'
import { CountersignError } from '../../../base/errors.ts'
import type { Json } from '../../../base/json/json.ts'
import { eventType } from '../engine.ts'
import {
  countQuestions,
  endPending,
  forgetWorkflow,
  listPending,
  notePending,
  type PendingApproval,
} from './pending.ts'

type CloudflareEnv = ConstructorParameters<typeof Agent>[1]

/** A gate of `remoteGate` with a token that vouches for the users of this application. */
export interface AnsweringGate {
  readonly approvals: {
    decide(
      id: string,
      answer: {
        readonly by: SignedInUser & { readonly subject: string }
        readonly verdict: 'approve' | 'deny'
        readonly seen: string
        readonly reason?: string
        readonly payload?: Json
      },
    ): Promise<unknown>
    withdraw(id: string): Promise<unknown>
  }
}

/** A user whom the application has signed in, and whose address it has verified. */
export interface SignedInUser {
  readonly email: string
  readonly emailVerified: true
}

/** Where a call of the agent came from. */
export interface CalledFrom {
  readonly connection: Connection | undefined
  readonly request: Request | undefined
}

export interface WorkflowAnswer {
  readonly reason?: string
  /** Which of the workflow's questions; needed where it asks more than one. */
  readonly approval?: string
}

/**
 * An agent whose `approveWorkflow` and `rejectWorkflow` carry the answer of a signed-in user to
 * Countersign, which decides whether it counts. Reaching the agent is not enough to answer.
 */
export abstract class ApprovalAgent<
  Env extends CloudflareEnv = CloudflareEnv,
  State = unknown,
  Props extends object = object,
> extends Agent<Env, State, Props> {
  /** Made from the environment; the token vouches for this application's users. */
  protected abstract gate(): AnsweringGate

  /**
   * Who is signed in there: by what the application verified when the connection was opened or the
   * request came, and never by what a client says in a message.
   */
  protected abstract signedIn(
    from: CalledFrom,
  ): SignedInUser | undefined | Promise<SignedInUser | undefined>

  /** The questions of this agent's workflows that wait, the oldest first. */
  pendingApprovals(): PendingApproval[] {
    return listPending(this)
  }

  /** Called when that list has changed, for example to show it in `state`. */
  onPendingApprovals(_pending: readonly PendingApproval[]): void | Promise<void> {}

  /** Says yes for the user who is signed in. `metadata` is what `waitForApproval` hands on. */
  override async approveWorkflow(
    workflowId: string,
    { reason, metadata, approval }: WorkflowAnswer & { metadata?: Record<string, unknown> } = {},
  ): Promise<void> {
    const payload = metadata as Json | undefined
    await this.answerWorkflow(workflowId, approval, { verdict: 'approve', reason, payload })
  }

  /** Says no for the user who is signed in. */
  override async rejectWorkflow(
    workflowId: string,
    { reason, approval }: WorkflowAnswer = {},
  ): Promise<void> {
    await this.answerWorkflow(workflowId, approval, { verdict: 'deny', reason, payload: undefined })
  }

  /** Ends the workflow and withdraws its questions: Cloudflare tells its code nothing. */
  override async terminateWorkflow(workflowId: string): Promise<void> {
    await super.terminateWorkflow(workflowId)
    const { approvals } = this.gate()
    for (const { id } of listPending(this, workflowId)) {
      await approvals.withdraw(id)
      await this.endPendingApproval(id)
    }
  }

  override async onWorkflowCallback(callback: WorkflowCallback): Promise<void> {
    if (callback.type === 'progress' && notePending(this, callback)) {
      await this.onPendingApprovals(this.pendingApprovals())
    }
    if (callback.type === 'complete') forgetWorkflow(this, callback.workflowId)
    await super.onWorkflowCallback(callback)
  }

  private async answerWorkflow(
    workflowId: string,
    approval: string | undefined,
    answer: {
      readonly verdict: 'approve' | 'deny'
      readonly reason: string | undefined
      readonly payload: Json | undefined
    },
  ): Promise<void> {
    const user = await this.currentUser()
    const { id, digest, workflowName } = this.pendingOf(workflowId, approval)
    const { verdict, reason, payload } = answer
    await this.gate().approvals.decide(id, {
      by: { ...user, subject: user.email },
      verdict,
      seen: digest,
      ...(reason === undefined ? {} : { reason }),
      ...(payload === undefined ? {} : { payload }),
    })
    await this.endPendingApproval(id)
    try {
      await this.sendWorkflowEvent(workflowName, workflowId, { type: eventType(id), payload: null })
    } catch {
      // It is decided. The webhook or the workflow's next look finds it.
    }
  }

  /** Fails closed: a call from a schedule, a workflow or another object is made by no user. */
  private async currentUser(): Promise<SignedInUser> {
    const { agent, connection, request } = getCurrentAgent<Agent>()
    const from = { connection, request }
    const isReached = agent === this && (connection !== undefined || request !== undefined)
    const user = isReached ? await this.signedIn(from) : undefined
    if (user?.emailVerified === true && typeof user.email === 'string' && user.email !== '') {
      return { email: user.email, emailVerified: true }
    }
    throw new CountersignError('not_permitted', 'no user is signed in who could answer', {
      hint: 'Sign users in before the connection opens, and return them from `signedIn`.',
    })
  }

  /**
   * An answer without the id of its question counts for the only one of a workflow. A second click
   * would otherwise land on the next question.
   */
  private pendingOf(workflowId: string, approval: string | undefined): PendingApproval {
    const waiting = listPending(this, workflowId)
    if (approval === undefined && countQuestions(this, workflowId) > 1) {
      throw new CountersignError('usage', 'this workflow has asked more than one question', {
        hint: 'Give `approval`, the id of the one that is answered.',
      })
    }
    const found = approval === undefined ? waiting[0] : waiting.find(({ id }) => id === approval)
    if (found) return found
    throw new CountersignError('approval_not_found', 'no such question of this workflow waits')
  }

  private async endPendingApproval(id: string): Promise<void> {
    if (endPending(this, id)) await this.onPendingApprovals(this.pendingApprovals())
  }
}
