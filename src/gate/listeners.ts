import type { Approval } from '../approval/approval.ts'
import type { AgentName, Call } from '../base/call.ts'
import type { Access } from '../policy/evaluate/access.ts'
import type { Verdict } from '../policy/evaluate/verdict.ts'
import type { Outcome } from './outcome.ts'

export interface Judged {
  readonly verdict: 'allow' | 'deny'
  readonly agent?: string | undefined
  readonly server?: string | undefined
  readonly tool: string
  /** The first rule that denies it. */
  readonly rule?: string | undefined
}

export interface GateEvents {
  /** The policy has answered. Also for calls that need no approval. */
  readonly evaluated: { readonly call: Call; readonly verdict: Verdict }
  /**
   * The policy let a call through or denied it. Names alone, so that listening costs a call next to
   * nothing: with `evaluated`, every call takes the full path.
   */
  readonly judged: Judged
  /** Observing: the policy would have said this, and the call went on. */
  readonly observed: { readonly call: Call; readonly verdict: Verdict }
  /** Something of a server that is no tool was asked for, and refused if `refused` says why. */
  readonly accessed: {
    readonly access: Access
    readonly agent: AgentName | undefined
    readonly refused?: unknown
    /** It is a call from here on, which people may be asked about. */
    readonly asks?: true
  }
  /** A question exists: a new one, or one that was there before. */
  readonly requested: { readonly approval: Approval; readonly joined: boolean }
  /** People were reminded of a question, or more of them were asked, while a caller waits here. */
  readonly reminded: { readonly approval: Approval }
  readonly escalated: { readonly approval: Approval }
  /** A person asked the asker something before deciding: `answer` replies. */
  readonly questioned: { readonly approval: Approval }
  /** A question is over, in whatever way and process it ended. */
  readonly decided: { readonly approval: Approval }
  /** A call is over, whether it ran or not. */
  readonly finished: { readonly call: Call; readonly outcome: Outcome }
}

export type GateEvent = keyof GateEvents
export type Listener<E extends GateEvent> = (event: GateEvents[E]) => unknown

export interface Listeners {
  on<E extends GateEvent>(event: E, listener: Listener<E>): () => void
  emit<E extends GateEvent>(event: E, value: GateEvents[E]): void
  /** Emitting without listeners should cost nothing. */
  has(event: GateEvent): boolean
}

const NOTICED: readonly GateEvent[] = ['reminded', 'escalated', 'questioned', 'decided']

// Enough to recognise a decision that both its maker and its waiter report.
const REMEMBERED = 1_000

export function createListeners(): Listeners {
  const listeners = {
    evaluated: new Set<Listener<'evaluated'>>(),
    judged: new Set<Listener<'judged'>>(),
    observed: new Set<Listener<'observed'>>(),
    accessed: new Set<Listener<'accessed'>>(),
    requested: new Set<Listener<'requested'>>(),
    reminded: new Set<Listener<'reminded'>>(),
    escalated: new Set<Listener<'escalated'>>(),
    questioned: new Set<Listener<'questioned'>>(),
    decided: new Set<Listener<'decided'>>(),
    finished: new Set<Listener<'finished'>>(),
  }
  const told = new Set<string>()

  /** Each thing happens once, however many of its waiters notice. */
  function isNews(event: GateEvent, approval: Approval): boolean {
    const { id, status, reminders, escalated, talk = [] } = approval
    const asked = event === 'questioned' ? talk.filter(({ kind }) => kind === 'question').length : 0
    const news = `${id} ${event} ${status} ${reminders} ${escalated.length} ${asked}`
    if (told.has(news)) return false
    told.add(news)
    const [oldest] = told
    if (told.size > REMEMBERED && oldest !== undefined) told.delete(oldest)
    return true
  }

  return {
    on(event, listener) {
      const set: Set<unknown> = listeners[event]
      set.add(listener)
      return () => {
        set.delete(listener)
      }
    },
    emit(event, value) {
      if (NOTICED.includes(event) && !isNews(event, (value as GateEvents['decided']).approval)) {
        return
      }
      const all: ReadonlySet<unknown> = listeners[event]
      for (const listener of [...all] as ((value: unknown) => unknown)[]) {
        contain(() => listener(value))
      }
    },
    has: (event) => listeners[event].size > 0,
  }
}

/** Calls a listener: an error in it stays in it. */
export function contain(callback: () => unknown): void {
  try {
    Promise.resolve(callback()).catch(() => {})
  } catch {
    // Nothing that listens may change what happens to a call.
  }
}

/** Tells listeners of a call that the policy let through. Costs a look where there are none. */
export function emitAllowed(
  listeners: Listeners,
  call: Call,
  own: Call['agent'] | undefined,
): void {
  if (!listeners.has('judged')) return
  const { tool, server, agent = own } = call
  listeners.emit('judged', {
    verdict: 'allow',
    agent: typeof agent === 'string' ? agent : agent?.alias,
    server,
    tool,
  })
}
