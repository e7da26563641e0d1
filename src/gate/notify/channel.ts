import type { ExecutionState, Status, StatusReason } from '../../approval/approval.ts'
import type { NoticeKind } from '../../approval/transition.ts'
import type { CallKind, Risk } from '../../base/call.ts'
import type { Approver, AskLevel } from '../../base/oversight.ts'

/** How people hear of an approval. A channel tells; it never decides. */
export interface Channel {
  /** The same in every process that sends to the same place. Holds no secret: people see it. */
  readonly name: string
  /** What it tells of. Everything else counts as told, without a look at the approval. All unless set. */
  readonly kinds?: readonly NoticeKind[]
  /** How many notices are on their way at once; 8 unless set. */
  readonly atOnce?: number
  /**
   * Resolves when the other side has it. Anything thrown means that it is tried again later, with
   * `NotDelivered` saying more. The same notice can come twice: its `id` is the same then.
   */
  send(notice: Notice, signal: AbortSignal): Promise<void>
}

/**
 * What people are told, as it stands when it is sent: ids, names and the message they would read
 * in the inbox. No arguments, no secrets, and nothing that could answer the question.
 */
export interface Notice {
  readonly id: string
  readonly kind: NoticeKind
  /** Whether it asks for an answer. The others say how it ended. */
  readonly question: boolean
  /** When it happened, in milliseconds since 1970. */
  readonly at: number
  /** Who should hear of it: who may answer, whom the escalation added, admins, or for whom the agent works. */
  readonly to: readonly Approver[]
  /** Which reminder this is. */
  readonly reminder?: number
  /** Who was added, in whose place, and after how long without an answer. */
  readonly added?: readonly Added[]
  /** Who of `to` is there as a stand-in. */
  readonly standIns?: readonly StoodIn[]
  /** Of an `unreachable` one: the rule that cannot be met, and what is missing, as a clause. */
  readonly unreachable?: { readonly rule: string; readonly says: string }
  readonly approval: NoticeApproval
  /** Opens the approval in the inbox. Looking changes nothing. */
  readonly link?: string
}

export interface Added {
  readonly to: Approver
  readonly for?: string
  readonly after: number
  readonly rule: string
}

export interface StoodIn {
  readonly to: Approver
  readonly for: Approver
}

export interface NoticeApproval {
  readonly id: string
  readonly revision: number
  readonly status: Status
  readonly reason?: StatusReason
  readonly execution?: ExecutionState
  readonly level: AskLevel
  readonly kind: CallKind
  readonly tool: string
  readonly server?: string
  readonly risk?: Risk
  /** `risk` was not rated, but guessed from the tool. */
  readonly riskGuessed?: true
  readonly agent: string
  readonly principal?: string
  readonly run?: string
  /** Values from the call stand in « », whatever they say. Empty when it is no longer kept. */
  readonly message: string
  readonly askedAt: number
  readonly decideBy: number
}

export interface NotDeliveredOptions {
  /** Milliseconds the other side wants to be left alone. */
  readonly retryAfter?: number
  /** The other side wants nothing more, ever. */
  readonly gone?: boolean
}

/** Why a notice did not get through. The message is kept and shown: no secrets in it. */
export class NotDelivered extends Error {
  override readonly name = 'NotDelivered'
  readonly retryAfter: number | undefined
  readonly gone: boolean

  constructor(message: string, { retryAfter, gone = false }: NotDeliveredOptions = {}) {
    super(message)
    this.retryAfter = retryAfter
    this.gone = gone
  }
}
