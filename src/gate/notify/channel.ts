import type { ExecutionState, Status, StatusReason } from '../../approval/approval.ts'
import type { Progress } from '../../approval/people/quorum-progress.ts'
import type { NoticeKind } from '../../approval/transition.ts'
import type { CallKind, Risk } from '../../base/call.ts'
import type { Approver, AskLevel } from '../../base/oversight.ts'
import type { Addressee } from '../people.ts'
import type { ChannelHost } from './channel-host.ts'

/**
 * How people hear of an approval, and where some of them answer. A channel never decides by itself:
 * it hands an answer to its host, which knows whose it is.
 */
export interface Channel {
  /** The same in every process that sends to the same place. Holds no secret: people see it. */
  readonly name: string
  /** How much of a call leaves this server through it; `name` unless set. */
  readonly share?: Share
  /** What it tells of; nothing else is written down for it. The same in every process. All unless set. */
  readonly kinds?: readonly NoticeKind[]
  /** Comments are told as well, below the message that is there: it can be followed up. */
  readonly followsUp?: true
  /** Writes to the mail address of each person, where one is vouched for. */
  readonly byMail?: true
  /** How many notices are on their way at once; 8 unless set. */
  readonly atOnce?: number
  /**
   * Resolves when the other side has it. Anything thrown means that it is tried again later, with
   * `NotDelivered` saying more. The same notice can come twice: its `id` is the same then. With
   * `addresses`, once for each of them, and what it resolves to is remembered as `previous`.
   */
  send(
    notice: Notice,
    signal: AbortSignal,
    delivery?: Delivery,
  ): Promise<void> | Promise<SentMessage | undefined>
  /**
   * Tells one address of several calls in one message, for people who want that. Nothing of it is
   * remembered: it says that calls wait, and where to look. Without it they are sent one by one.
   */
  sendDigest?(notices: readonly Notice[], signal: AbortSignal, address: string): Promise<void>
  /**
   * Where these people are told of this notice, each address once. Makes this a channel that keeps
   * one message per address and approval, and settles it in place. Without it, `send` is called
   * once for each notice, without a delivery.
   */
  addresses?(notice: Notice, people: readonly Addressee[]): Promise<readonly string[]>
  /**
   * Whether it has no address at all. As long as that is so, and it never had one, nothing is
   * written down for it: a call costs no more than without this channel. Asked whenever something changes, so it must be cheap.
   */
  isIdle?(): Promise<boolean>
  /** How people link an account of theirs to themselves, where answers are taken. */
  readonly linking?: Linking
  /** Called once when a server starts that can take answers. Returns how to stop. */
  connect?(host: ChannelHost): () => Promise<void> | void
  /** Answers `POST /v1/channels/NAME`, with the body as it came. It proves its sender itself. */
  receive?(request: Request): Promise<Response>
}

/**
 * `name`: tool, agent, risk, deadline, how far it came and who decided. `message`: what the owner's `message_template` says, too.
 * `arguments`: the masked arguments where a person opens them, too.
 */
export const SHARES = ['name', 'message', 'arguments'] as const
export type Share = (typeof SHARES)[number]

export interface Linking {
  /** As people call it: `Slack`. */
  readonly title: string
  /** Where a link code is sent, as the end of “Send this code …”. */
  readonly where: string
}

/** One message to one address. */
export interface Delivery {
  readonly address: string
  /** What this address was last sent about the approval. */
  readonly previous?: SentMessage & { readonly revision: number }
  /** Only there to settle an earlier message: where that is not found, nothing is to be sent. */
  readonly settles: boolean
  /**
   * An earlier attempt may have got through before its process died: of the first message, when
   * there is no `previous`, else of this notice.
   */
  readonly repeated: boolean
}

export interface SentMessage {
  /** Names the message for the channel that sent it. At most 1,000 characters, no secret. */
  readonly ref: string
}

/**
 * What people are told, as it stands when it is sent: ids, names and, where it is shared, the
 * message they would read in the inbox. No arguments, no secrets, and nothing that could answer.
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
  /** What was asked, replied or commented. Its text only where messages are shared. Not checked. */
  readonly said?: { readonly by: 'person' | 'agent'; readonly text?: string }
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
  /**
   * Values from the call stand in « », whatever they say. Where the message is not shared, a
   * sentence of our own with the name of the tool. Empty when it is no longer kept.
   */
  readonly message: string
  /** The owner of the policy worded the message, and it is shared. */
  readonly authored?: true
  readonly askedAt: number
  readonly decideBy: number
  /** Of an open question that several people must agree to, once one of them did. */
  readonly met?: Progress
  /** Whose answers decided it. What they wrote is for the inbox. */
  readonly decidedBy?: readonly Decider[]
}

/** A person who decided, as others know them, and when. */
export interface Decider {
  readonly name: string
  readonly at: number
}

export interface NotDeliveredOptions {
  /** Milliseconds the other side wants to be left alone. */
  readonly retryAfter?: number
  /** The other side wants nothing more, ever: the channel, or the one address it was sent to. */
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
