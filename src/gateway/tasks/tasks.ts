import type { Approval } from '../../approval/approval.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { cardOf } from '../downstream/call-result.ts'
import type { Client } from '../downstream/client.ts'
import { ownerOf } from '../downstream/held-run.ts'
import { answerJob, type Job, showQuestions, startJob } from '../downstream/job.ts'
import { modernResult } from '../downstream/modern-result.ts'
import { NotThere } from '../downstream/resume-tool.ts'
import type { SessionOptions } from '../downstream/session-options.ts'
import { LEFT_OPEN } from '../downstream/tool-call.ts'
import { TASKS_EXTENSION } from '../protocol/envelope.ts'
import { inTime } from '../protocol/in-time.ts'
import { objectIn, RPC, RpcError, textIn, wireError } from '../protocol/message.ts'
import { createTaskRecords, KEPT_MS, type KeptTask } from './task-records.ts'

/*
 * Calls that wait for a person, as tasks of the extension: the client gets a handle in place of a
 * request that is held. The approval on record is the truth. What is kept here in memory is the call
 * under way and its result; where that is gone, after a restart or at another server on the same
 * database, the task goes on from the approval.
 */
export interface Tasks {
  /** The handle of a new task; undefined where this client has too many. */
  adopt(job: Job): Promise<JsonObject | undefined>
  /** `tasks/get`, `tasks/update` and `tasks/cancel`. */
  handle(method: string, params: JsonObject, client: Resuming): Promise<JsonObject>
  /** Tells of each change of these tasks; gives those that there are. */
  follow(
    ids: readonly string[],
    client: Resuming,
    tell: (task: JsonObject) => void,
  ): Promise<{ readonly ids: readonly string[]; stop(): void }>
  /** Whether one of them is not over. */
  readonly isWaiting: boolean
  /** `isRevoked`: its questions are withdrawn; else they stay for the client that comes back. */
  close(isRevoked: boolean): void
}

/** The client, but for what a task gives it. */
export type Resuming = (leg: Parameters<Parameters<typeof startJob>[0]>[0]) => Client

export interface TaskOptions extends Pick<SessionOptions, 'gate' | 'store' | 'inbox' | 'specs'> {
  /** Names the credential: a task exists for its owner alone. */
  readonly owner: string
  /** Goes on with an approval that was asked before. */
  resume(approval: string, client: Client, signal: AbortSignal): Promise<JsonObject>
}

/** Tasks under way, of all clients of an endpoint: one that comes back may be served by another part of it. */
export type LiveTasks = Map<string, LiveTask>

interface LiveTask {
  readonly owner: string
  readonly approval: string
  readonly createdAt: number
  readonly job: Job
  updatedAt: number
  ended: Ended | undefined
  readonly followers: Set<() => void>
}

type Ended =
  | { readonly status: 'completed'; readonly result: JsonObject }
  | { readonly status: 'failed'; readonly error: JsonObject; readonly statusMessage: string }
  | { readonly status: 'cancelled' }

const NO_ONE = { agent: '', issuer: '', subject: '' }
const MOST_TASKS = 200
const POLL_MS = 2_000
/** How long a result is kept in memory after it came; the record has it for longer. */
const RESULT_MS = 600_000
/** How long a request waits for what is on record already. */
const SOON_MS = 1_000
const MOST_FOLLOWED = 100

export function createTasks(options: TaskOptions, live: LiveTasks = new Map()): Tasks {
  const { store, owner } = options
  const records = createTaskRecords(store, owner)
  const own = new Set<LiveTask>()

  function register(
    id: string,
    task: Omit<LiveTask, 'owner' | 'updatedAt' | 'ended' | 'followers'>,
  ) {
    const { job } = task
    const one: LiveTask = {
      ...task,
      owner,
      updatedAt: task.createdAt,
      ended: undefined,
      followers: new Set(),
    }
    live.set(id, one)
    own.add(one)
    const changed = async () => {
      one.updatedAt = await store.now().catch(() => Date.now())
      for (const tell of one.followers) tell()
    }
    job.onNews = () => void changed()
    const end = (ended: Ended | undefined) => {
      own.delete(one)
      one.ended = ended
      // What is left open, or not there, goes on from the record when its client asks again.
      if (!ended) live.delete(id)
      else setTimeout(() => live.delete(id), RESULT_MS).unref()
      void changed()
    }
    job.done.then(
      (result) => {
        const { signal } = job.stop
        if (signal.reason === LEFT_OPEN) return end(undefined)
        const wasStopped = signal.aborted && codeOf(result) === 'withdrawn'
        const whole = modernResult('tools/call', result)
        end(wasStopped ? { status: 'cancelled' } : { status: 'completed', result: whole })
      },
      (error: unknown) => {
        if (error instanceof NotThere) return end(undefined)
        const wire = wireError(error)
        end({ status: 'failed', error: { ...wire }, statusMessage: wire.message })
      },
    )
    return one
  }

  /** The task, going on if nothing here works on it. Not found is all that others learn. */
  async function find(id: string, client: Resuming): Promise<LiveTask> {
    const known = live.get(id)
    if (known?.owner === owner) return known
    const kept = known ? undefined : await records.get(id)
    if (!kept) throw new RpcError(RPC.invalidParams, 'Failed to retrieve task: Task not found')
    await assertSettings(kept)
    const again = live.get(id)
    if (again) return again
    const asked = Promise.withResolvers<void>()
    const job = startJob((leg) => {
      const onPending: typeof leg.onPending = (approval) => {
        leg.onPending(approval)
        asked.resolve()
      }
      return options.resume(kept.approval, client({ ...leg, onPending }), leg.signal)
    }, true)
    const task = register(id, { approval: kept.approval, createdAt: kept.createdAt, job })
    const settled = job.done.then(
      () => {},
      () => {},
    )
    await inTime(Promise.race([settled, asked.promise]), SOON_MS)
    return task
  }

  const settingsOf = ({ call }: Approval) =>
    ownerOf(
      NO_ONE,
      '',
      options.specs.filter(({ alias }) => alias === call.server),
    )

  /** A yes to a call of one account is none to the same words sent to another. */
  async function assertSettings({ approval: id, settings }: KeptTask): Promise<void> {
    const approval = await store.get(id)
    if (!approval || approval.execution || settings === (await settingsOf(approval))) return
    await options.gate.approvals
      .invalidate(id, { reason: 'tool' })
      .catch(async (error: unknown) => {
        // It was decided or used meanwhile; only what can no longer run is let be.
        const { status, execution } = (await store.get(id)) ?? {}
        if (!execution && (status === 'pending' || status === 'approved')) throw error
      })
  }

  async function shown(id: string, task: LiveTask): Promise<JsonObject> {
    const { ended, job, createdAt, updatedAt } = task
    const base = {
      taskId: id,
      createdAt: new Date(createdAt).toISOString(),
      lastUpdatedAt: new Date(updatedAt).toISOString(),
      ttlMs: KEPT_MS,
      pollIntervalMs: POLL_MS,
    }
    if (ended) return { ...base, ...ended }
    const approval = await store.get(task.approval)
    const statusMessage =
      approval?.status === 'pending'
        ? await whereToDecide(approval)
        : 'The call was decided about and is being carried out.'
    const inputRequests = showQuestions(job)
    return Object.keys(inputRequests).length === 0
      ? { ...base, status: 'working', statusMessage }
      : { ...base, status: 'input_required', statusMessage, inputRequests }
  }

  async function whereToDecide(approval: Approval): Promise<string> {
    const inbox = await options.inbox(approval)
    const where = inbox === undefined ? '' : ` They decide at ${cardOf(inbox, approval.id)}`
    return `The call waits for a person to approve it (approval ${approval.id}) and has not run.${where}`
  }

  return {
    async adopt(job) {
      if (!job.approval || own.size >= MOST_TASKS) return undefined
      const { id: approval } = job.approval
      // Written before the client hears of it: it may ask another server, or this one after a crash.
      const { id, createdAt } = await records.create(approval, await settingsOf(job.approval))
      const task = register(id, { approval, createdAt, job })
      return { ...(await shown(id, task)), resultType: 'task' }
    },
    async handle(method, params, client) {
      const id = textIn(params, 'taskId') ?? ''
      const task = await find(id, client)
      switch (method) {
        case 'tasks/update': {
          const answers = objectIn(params, 'inputResponses')
          if (!answers) throw new RpcError(RPC.invalidParams, 'inputResponses is not an object')
          const given = Object.keys(answers).map((key) => [key, objectIn(answers, key)])
          answerJob(task.job, Object.fromEntries(given))
          return {}
        }
        case 'tasks/cancel':
          task.job.stop.abort('cancelled')
          return {}
        default:
          return shown(id, task)
      }
    },
    async follow(ids, client, tell) {
      const stops: (() => void)[] = []
      const found: string[] = []
      for (const id of new Set(ids.slice(0, MOST_FOLLOWED))) {
        const task = await find(id, client).catch(() => undefined)
        if (!task) continue
        found.push(id)
        let last = ''
        const told = async () => {
          const now = await shown(id, task)
          const text = JSON.stringify([now.status, now.statusMessage, now.inputRequests])
          if (text !== last) tell(now)
          last = text
        }
        const follow = () => void told().catch(() => {})
        task.followers.add(follow)
        stops.push(() => task.followers.delete(follow))
        follow()
      }
      return {
        ids: found,
        stop() {
          for (const stop of stops) stop()
        },
      }
    },
    get isWaiting() {
      return own.size > 0
    },
    close(isRevoked) {
      for (const { job } of [...own]) job.stop.abort(isRevoked ? 'closed' : LEFT_OPEN)
    },
  }
}

/** What clients must declare to be answered with a task, or asked about one. */
export function declaresTasks(capabilities: JsonObject): boolean {
  return objectIn(objectIn(capabilities, 'extensions'), TASKS_EXTENSION) !== undefined
}

export function assertDeclared(capabilities: JsonObject): void {
  if (declaresTasks(capabilities)) return
  const requiredCapabilities = { extensions: { [TASKS_EXTENSION]: {} } }
  throw new RpcError(RPC.missingCapability, 'Missing required client capability', {
    requiredCapabilities,
  })
}

function codeOf(result: JsonObject): string | undefined {
  return textIn(objectIn(result, '_meta'), 'countersign/code')
}
