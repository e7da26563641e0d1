import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import { objectIn, RPC, RpcError, textIn } from '../protocol/message.ts'
import { answerJob, type Job, showQuestions, startJob, type Work } from './job.ts'
import { modernResult } from './modern-result.ts'

/*
 * In the newer era no question can be sent while a request is open: the answer to the request is
 * the question, and the client sends the request again with the answer. So a call lives on between
 * requests here, under a secret that each answer renews. A client that declares tasks gets the
 * handle of a task for a call that waits for people, and is done with the request.
 */
export interface ModernCalls {
  /** `work` runs once, however many requests it takes. */
  handle(
    method: string,
    params: JsonObject,
    signal: AbortSignal,
    work: Work,
    /** Makes a task of a call that waits for people; undefined where it can be none. */
    asTask?: ((job: Job) => Promise<JsonObject | undefined>) | undefined,
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

interface Call {
  /** What was called: a retry must name the same. */
  readonly what: string
  readonly job: Job
  rounds: number
}

// Clients wait 60 seconds for an answer and come back ten times at most.
const LEG_MS = 45_000
const MOST_LEGS = 9
const ABANDONED_MS = 300_000

export function createModernCalls(leg = LEG_MS): ModernCalls {
  /** Every call that is not done: parked, or with a request of its client open. */
  const open = new Set<Job>()
  const calls = new Map<
    string,
    { readonly call: Call; readonly timer: ReturnType<typeof setTimeout> }
  >()

  function start(what: string, work: Work, isTask: boolean): Call {
    const job = startJob(work, isTask)
    open.add(job)
    const over = () => void open.delete(job)
    job.done.then(over, over)
    return { what, job, rounds: 0 }
  }

  function taken(state: string, what: string): Call {
    const found = calls.get(state)
    // Unknown, used before, another owner's or for another call: all the same to the sender.
    if (found?.call.what !== what)
      throw new RpcError(RPC.invalidParams, 'Invalid or expired requestState')
    clearTimeout(found.timer)
    calls.delete(state)
    return found.call
  }

  function parked(call: Call): string {
    const state = randomBytes(32).toString('base64url')
    const timer = setTimeout(() => {
      calls.delete(state)
      call.job.stop.abort('the client did not come back')
    }, ABANDONED_MS)
    timer.unref()
    calls.set(state, { call, timer })
    return state
  }

  return {
    async handle(method, params, signal, work, asTask) {
      const { name = null, uri = null, arguments: given = null } = params
      const what = JSON.stringify([method, name, uri, given])
      const state = textIn(params, 'requestState')
      const call = state === undefined ? start(what, work, !!asTask) : taken(state, what)
      const { job } = call
      job.isTask = asTask !== undefined
      const answers = objectIn(params, 'inputResponses') ?? {}
      const isAnswered =
        answerJob(job, Object.fromEntries(keysOf(answers))) || Object.keys(answers).length === 0
      const onAbort = () => job.stop.abort(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        // Answers to something else: what is open is asked again, without waiting for it.
        const isRepeated = !isAnswered && [...job.questions.values()].some(({ isSent }) => isSent)
        let result = isRepeated ? undefined : await nextOf(job, leg)
        if (!result && job.isTask && job.approval) {
          const task = await asTask?.(job)
          if (task) {
            open.delete(job)
            return task
          }
          job.isTask = false
          result = await nextOf(job, leg)
        }
        if (result) return modernResult(method, result)
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
      if (++call.rounds > MOST_LEGS) {
        job.stop.abort('timed out')
        return modernResult(method, await job.done)
      }
      const asking = showQuestions(job)
      return {
        resultType: 'input_required',
        requestState: parked(call),
        ...(Object.keys(asking).length === 0 ? {} : { inputRequests: asking }),
      }
    },
    get isWaiting() {
      return calls.size > 0
    },
    close() {
      for (const { timer } of calls.values()) clearTimeout(timer)
      for (const { stop } of open) stop.abort('closed')
      calls.clear()
    },
  }
}

function keysOf(answers: JsonObject): [string, JsonObject | undefined][] {
  return Object.keys(answers).map((key) => [key, objectIn(answers, key)])
}

/** Its result; or nothing, when there is news for the client or the leg is over. */
async function nextOf(job: Job, leg: number): Promise<JsonObject | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isNews = () =>
    (job.isTask && job.approval !== undefined) ||
    [...job.questions.values()].some(({ isSent }) => !isSent)
  const pause = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, leg, undefined)
    job.onNews = () => {
      if (isNews()) resolve(undefined)
    }
    job.onNews()
  })
  try {
    return await Promise.race([job.done, pause])
  } finally {
    clearTimeout(timer)
  }
}
