import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import { objectIn, RPC, RpcError, textIn } from '../protocol/message.ts'
import type { Ask } from '../protocol/peer.ts'
import { modernResult } from './modern-result.ts'

/*
 * In the newer era no question can be sent while a request is open: the answer to the request is
 * the question, and the client sends the request again with the answer. So a call lives on between
 * requests here, under a secret that each answer renews.
 */
export interface ModernCalls {
  /** `work` runs once, however many requests it takes; `ask` puts a question to the client. */
  handle(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    work: (leg: { readonly ask: Ask; readonly signal: AbortSignal }) => Promise<JsonObject>,
  ): Promise<JsonObject>
  /** Whether a call waits for its client to come back. */
  readonly isWaiting: boolean
  close(): void
}

/** Requests whose answer may be a question. */
export const INTERACTIVE: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
])

interface Question {
  readonly key: string
  readonly method: string
  readonly params: JsonObject
  isSent: boolean
  settle(answer: JsonObject | Error): void
}

interface Job {
  /** What was called: a retry must name the same. */
  readonly what: string
  readonly stop: AbortController
  readonly done: Promise<JsonObject>
  readonly questions: Map<string, Question>
  asked: () => void
  rounds: number
}

// Clients wait 60 seconds for an answer and come back ten times at most.
const LEG_MS = 45_000
const MOST_LEGS = 9
const ABANDONED_MS = 300_000
/** Keys of servers that are handed on as they are. */
const KEY = /^[\w.-]{1,128}$/

export function createModernCalls(leg = LEG_MS): ModernCalls {
  /** Every call that is not done: parked, or with a request of its client open. */
  const open = new Set<Job>()
  const jobs = new Map<
    string,
    { readonly job: Job; readonly timer: ReturnType<typeof setTimeout> }
  >()

  function start(what: string, work: Parameters<ModernCalls['handle']>[3]): Job {
    const stop = new AbortController()
    const questions = new Map<string, Question>()
    let count = 0
    const nameOf = (wanted: string | undefined): string => {
      if (wanted !== undefined && KEY.test(wanted) && !questions.has(wanted)) return wanted
      const own = `q${++count}`
      return questions.has(own) ? nameOf(undefined) : own
    }
    const ask: Ask = (method, params, signal, wanted) =>
      new Promise((resolve, reject) => {
        const key = nameOf(wanted)
        const settle = (answer: JsonObject | Error) => {
          questions.delete(key)
          signal.removeEventListener('abort', onAbort)
          if (answer instanceof Error) reject(answer)
          else resolve(answer)
        }
        const onAbort = () => settle(new RpcError(RPC.internal, 'cancelled'))
        signal.addEventListener('abort', onAbort, { once: true })
        // Known to the older era alone; in this one a request carries its own state.
        const { elicitationId: _, ...shown } = params
        questions.set(key, { key, method, params: shown, isSent: false, settle })
        job.asked()
      })
    const done = work({ ask, signal: stop.signal })
    const job: Job = { what, stop, done, questions, asked: () => {}, rounds: 0 }
    open.add(job)
    const over = () => void open.delete(job)
    done.then(over, over)
    return job
  }

  function taken(state: string, what: string): Job {
    const found = jobs.get(state)
    // Unknown, used before, another owner's or for another call: all the same to the sender.
    if (found?.job.what !== what)
      throw new RpcError(RPC.invalidParams, 'Invalid or expired requestState')
    clearTimeout(found.timer)
    jobs.delete(state)
    return found.job
  }

  function parked(job: Job): string {
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => {
      jobs.delete(state)
      job.stop.abort('the client did not come back')
    }, ABANDONED_MS)
    timer.unref()
    jobs.set(state, { job, timer })
    return state
  }

  return {
    async handle(method, params, signal, work) {
      const { name = null, uri = null, arguments: given = null } = params
      const what = JSON.stringify([method, name, uri, given])
      const state = textIn(params, 'requestState')
      const job = state === undefined ? start(what, work) : taken(state, what)
      const answers = objectIn(params, 'inputResponses') ?? {}
      let isAnswered = Object.keys(answers).length === 0
      for (const question of [...job.questions.values()]) {
        const answer = objectIn(answers, question.key)
        // A question that was not shown yet cannot have been answered.
        if (!answer || !question.isSent) continue
        question.settle(answer)
        isAnswered = true
      }
      const onAbort = () => job.stop.abort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        // Answers to something else: what is open is asked again, without waiting for it.
        const isRepeated = !isAnswered && [...job.questions.values()].some(({ isSent }) => isSent)
        const result = isRepeated ? undefined : await nextOf(job, leg)
        if (result) return modernResult(method, result)
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
      if (++job.rounds > MOST_LEGS) {
        job.stop.abort('timed out')
        return modernResult(method, await job.done)
      }
      const asking = [...job.questions.values()].map((question) => {
        question.isSent = true
        return [question.key, { method: question.method, params: question.params }]
      })
      return {
        resultType: 'input_required',
        requestState: parked(job),
        ...(asking.length === 0 ? {} : { inputRequests: Object.fromEntries(asking) }),
      }
    },
    get isWaiting() {
      return jobs.size > 0
    },
    close() {
      for (const { timer } of jobs.values()) clearTimeout(timer)
      for (const { stop } of open) stop.abort('closed')
      jobs.clear()
    },
  }
}

/** Its result; or nothing, when there is a question for the client or the leg is over. */
async function nextOf(job: Job, leg: number): Promise<JsonObject | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const pause = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, leg, undefined)
    job.asked = () => resolve(undefined)
    if ([...job.questions.values()].some(({ isSent }) => !isSent)) resolve(undefined)
  })
  try {
    return await Promise.race([job.done, pause])
  } finally {
    clearTimeout(timer)
  }
}
