import type { Approval } from '../../approval/approval.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { RPC, RpcError } from '../protocol/message.ts'
import type { Ask } from '../protocol/peer.ts'

/** A request of the newer era that outlives the HTTP request it came with. */
export interface Job {
  readonly stop: AbortController
  readonly done: Promise<JsonObject>
  /** What the client has to answer before it goes on, by key. */
  readonly questions: ReadonlyMap<string, JobQuestion>
  /** The approval it waits for, once there is one. */
  readonly approval: Approval | undefined
  /** Called whenever there is a question, or something to wait for. */
  onNews: () => void
  /** Its client follows it as a task: no key of a question may come twice. */
  isTask: boolean
}

export interface JobQuestion {
  readonly key: string
  readonly method: string
  readonly params: JsonObject
  isSent: boolean
  settle(answer: JsonObject | Error): void
}

/** What the work is given. */
export interface Leg {
  /** Puts a question to the client. */
  readonly ask: Ask
  readonly signal: AbortSignal
  /** Says that people have been asked. */
  onPending(approval: Approval): void
  /** Whether the client follows it as a task now. */
  isTask(): boolean
}

export type Work = (leg: Leg) => Promise<JsonObject>

/** Keys of servers that are handed on as they are. */
const KEY = /^[\w.-]{1,128}$/

/** `isTask`: whether a call that has to wait becomes a task. */
export function startJob(work: Work, isTask: boolean): Job {
  const stop = new AbortController()
  const questions = new Map<string, JobQuestion>()
  const used = new Set<string>()
  let count = 0
  const isTaken = (key: string) => questions.has(key) || (job.isTask && used.has(key))
  const nameOf = (wanted: string | undefined): string => {
    if (wanted !== undefined && KEY.test(wanted) && !isTaken(wanted)) return wanted
    const own = `q${++count}`
    return isTaken(own) ? nameOf(undefined) : own
  }
  const ask: Ask = (method, params, signal, wanted) =>
    new Promise((resolve, reject) => {
      const key = nameOf(wanted)
      used.add(key)
      const settle = (answer: JsonObject | Error) => {
        questions.delete(key)
        signal.removeEventListener('abort', onAbort)
        if (answer instanceof Error) reject(answer)
        else resolve(answer)
        job.onNews()
      }
      const onAbort = () => settle(new RpcError(RPC.internal, 'cancelled'))
      signal.addEventListener('abort', onAbort, { once: true })
      // Known to the older era alone; in this one a request carries its own state.
      const { elicitationId: _, ...shown } = params
      questions.set(key, { key, method, params: shown, isSent: false, settle })
      job.onNews()
    })
  let approval: Approval | undefined
  const job = {
    stop,
    questions,
    get approval() {
      return approval
    },
    onNews: () => {},
    isTask,
  }
  const onPending = (asked: Approval) => {
    approval = asked
    job.onNews()
  }
  const leg = { ask, signal: stop.signal, onPending, isTask: () => job.isTask }
  return Object.assign(job, { done: work(leg) })
}

/** Hands in answers. False where none of them is to a question that was shown and is open. */
export function answerJob(
  { questions }: Pick<Job, 'questions'>,
  answers: Readonly<Record<string, JsonObject | undefined>>,
): boolean {
  let isAnswered = false
  for (const question of [...questions.values()]) {
    const answer = Object.hasOwn(answers, question.key) ? answers[question.key] : undefined
    // A question that was not shown yet cannot have been answered.
    if (!answer || !question.isSent) continue
    question.settle(answer)
    isAnswered = true
  }
  return isAnswered
}

/** What is open, as the client is shown it. */
export function showQuestions({ questions }: Pick<Job, 'questions'>): JsonObject {
  const shown = [...questions.values()].map((question): [string, JsonObject] => {
    question.isSent = true
    return [question.key, { method: question.method, params: question.params }]
  })
  return Object.fromEntries(shown)
}
