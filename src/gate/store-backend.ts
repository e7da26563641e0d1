import type { Approval } from '../approval/approval.ts'
import type { Finish, Lost } from '../approval/command.ts'
import { openQuestions } from '../approval/talk.ts'
import type { Call } from '../base/call.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { Backend, Claim, Ended, Patience, Pipeline, Question, Waited } from './backend.ts'
import { isPassing, isStoreFailure, sleep } from './background/background.ts'
import { freshArgs, hiddenTexts } from './content/arguments.ts'
import { digestDefinition } from './content/binding.ts'
import { editedBy } from './content/stored-content.ts'
import type { GateContext } from './context.ts'
import type { Called } from './declared/declarations.ts'
import { type CallerIdentity, ownerName } from './identity.ts'
import type { Listeners } from './listeners.ts'
import type { Outcome } from './outcome.ts'
import { ask } from './pipeline/ask.ts'
import { type Claimed, claim, dropsResult } from './pipeline/claim.ts'
import { type Judged, judgeCall, type Stopped } from './pipeline/judge.ts'
import { renewLease } from './pipeline/lease.ts'
import { askedByOtherRules, type Prior, ranBefore } from './pipeline/prior.ts'
import { outcomeOf } from './pipeline/replay.ts'
import { runCall } from './pipeline/run.ts'
import { endOf } from './pipeline/waiting.ts'
import { previewMaker } from './preview/make-preview.ts'
import type { RunOptions } from './run-options.ts'
import { tracedCall } from './telemetry/telemetry.ts'
import type { NamedTool } from './tool.ts'

/** A question in the store of this process. */
export interface StoredQuestion extends Question {
  readonly approval: Approval
  /** Of the call as it was asked here, which is what the claim presents. */
  readonly digest: string
  /** Who claims it. */
  readonly agent: string
  /** What the claimer's own code says of the call. It counts at the claim as it does when asking. */
  readonly called?: Called | undefined
}

export function storedQuestion(
  approval: Approval,
  { digest, agent, called }: Pick<StoredQuestion, 'digest' | 'agent' | 'called'>,
): StoredQuestion {
  const { id, call, status, execution } = approval
  const { tool } = call
  const isAskedBack = approval.talk !== undefined && openQuestions(approval).length > 0
  const state = { status, execution: execution?.state, isAskedBack }
  return { id, tool, ...state, approval, digest, agent, called }
}

/** Runs a call of this caller through the pipeline, inside the span of the call. */
export function runStored<R>(
  core: GateContext,
  caller: CallerIdentity,
  call: Call,
  tool: NamedTool<R>,
  { onPending, ...options }: RunOptions,
): Promise<Outcome<R>> {
  const { agent, run, key } = { ...caller, ...options, ...call }
  const heard = onPending && (({ approval }: Question) => approval && onPending(approval))
  const running = () =>
    runCall(storePipeline(core, caller), call, tool, { ...options, onPending: heard })
  if (!core.telemetry) return running()
  return tracedCall(core, { call: { ...call, agent, run, key } as Call }, running)
}

/** The pipeline of a gate whose approvals are in the store of this process. */
export function storePipeline(
  core: GateContext,
  caller: CallerIdentity,
): Pipeline<Judged, StoredQuestion> {
  const { waitFor, waiting, announce, listeners, telemetry } = core
  return {
    backend: storeBackend(core, caller),
    judge({ call, key, tool, declared }) {
      const definition = tool.definition ?? core.registry.definitionOf(caller, call)
      return judgeCall(core, caller, { call, key, definition, declared })
    },
    mode: caller.mode,
    waitFor,
    waiting,
    announce,
    listeners,
    telemetry,
    probe: (point, { approval }) => core.probe(point, approval),
  }
}

function storeBackend(core: GateContext, caller: CallerIdentity): Backend<Judged, StoredQuestion> {
  const { store } = core

  function asked(
    { call, called }: Pick<Judged, 'call' | 'called'>,
    { approval, digest }: Omit<Prior, 'isSame'>,
  ) {
    return storedQuestion(approval, { digest, agent: ownerName(call.agent), called })
  }

  async function look(question: StoredQuestion): Promise<StoredQuestion> {
    return storedQuestion((await store.get(question.id)) ?? question.approval, question)
  }

  return {
    async find(judged: Judged | Stopped) {
      if ('refused' in judged) {
        const before = await ranBefore(core, caller, judged.read)
        return before && judged.read && asked(judged.read, before)
      }
      const before = await askedByOtherRules(core, caller, judged)
      return before && ('status' in before ? before : asked(judged, before))
    },
    async ask(judged, { tool, options }) {
      const { call, bytes, definition, verdict } = judged
      const { join, batch, countersignature } = options
      if (verdict.verdict === 'allow') return { allowed: freshArgs(bytes) }
      if (definition) {
        const { kind, server, tool: name } = call
        core.registry.register(caller, { kind, server, tool: name, door: caller.door, definition })
      }
      const suspends = options.wait === false
      const { looks } = tool
      const { signal } = options
      const preview = tool.preview && previewMaker(tool, { tool: call.tool, bytes }, signal)
      const made = {
        ...{ definition, looks, join, batch, suspends, countersignature, preview, signal },
        claims: true,
      }
      const answer = await ask(core, caller, { ...judged, verdict }, made)
      if ('status' in answer) return { refused: answer }
      if (!('approval' in answer)) return { allowed: freshArgs(bytes) }
      const question = asked(judged, answer)
      return { question, claimed: answer.claimed && claimOf(question, answer.claimed) }
    },
    look,
    wait: (question, isOver, patience) => waitUntil(core, question, isOver, patience),
    async claim(question, now) {
      const definition = await digestDefinition(now)
      const claimed = await claim(core, caller, { ...question, definition })
      return claimOf(question, claimed)
    },
    // The instance of this process is watched instead; only a claim for another process has a lease.
    renew: ({ question, name, lease }) =>
      renewLease(core, { id: question.id, claim: name, ...(lease ? { lease } : {}) }),
    finish: ({ question, name }, ended) => recorded(core, question, commandOf(name, ended)),
    async withdraw(question) {
      const { id, approval } = question
      const commandId = crypto.randomUUID()
      const by = { agent: approval.call.agent }
      const withdraw = () => store.apply(id, { type: 'withdraw', commandId, by })
      try {
        return storedQuestion((await withdraw()).approval, question)
      } catch (error) {
        // Another command was faster: its outcome is the truth.
        if (!isStoreFailure(error)) return look(question)
        void core.background.persist(withdraw)
        return undefined
      }
    },
    outcomeOf: ({ approval }) => outcomeOf(core, approval),
  }
}

function claimOf(question: StoredQuestion, claimed: Claimed): Claim<StoredQuestion> {
  const { approval, claim: name, payload, policy, countersign, mayStart } = claimed
  const edited = editedBy(claimed)
  return {
    question: storedQuestion(approval, question),
    name,
    get args() {
      return freshArgs(claimed)
    },
    payload,
    edited,
    countersign,
    drop: dropsResult(policy, approval.call),
    secrets: () => hiddenTexts(freshArgs(claimed), claimed.shown.masked),
    mayStart,
  }
}

function commandOf(claim: string, ended: Ended): Finish | Lost {
  const commandId = crypto.randomUUID()
  const { outcome } = ended
  if (outcome === 'unknown') return { type: 'lost', commandId, claim }
  const finish = { type: 'finish', commandId, claim, outcome } as const
  if (outcome === 'succeeded' && ended.drop) return { ...finish, drop: true }
  const { result } = ended
  return result === undefined ? finish : { ...finish, result: result as Json }
}

// A result is worth more than its record: a store that hangs holds it up no longer than this.
const RECORD_PATIENCE = 5_000

/** Writes the end down, and goes on trying behind the caller's back when the store is away. */
async function recorded(core: GateContext, question: StoredQuestion, end: Finish | Lost) {
  let now = question.approval
  const work = core.background.insist(async () => {
    now = (await core.store.apply(question.id, end)).approval
  })
  const isWritten = (await inTime(work)) === 'done'
  return { question: storedQuestion(now, question), isWritten }
}

async function inTime<T>(work: Promise<T>): Promise<T | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), RECORD_PATIENCE)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

// A store that is gone for longer than this is not coming back in time for this call.
const STORE_PATIENCE = 30_000
const FIRST_PAUSE = 50

/**
 * Parks until the approval is as `isOver` wants it, or the caller's patience ends. Holds no
 * connection, and leaves nothing behind when it returns.
 */
async function waitUntil(
  { store, listeners }: GateContext,
  asked: StoredQuestion,
  isOver: (question: Question) => boolean,
  patience: Patience,
): Promise<Waited<StoredQuestion>> {
  let question = asked
  if (isOver(question)) return { question }
  const end = endOf(patience)
  let troubleSince: number | undefined
  let pause = FIRST_PAUSE
  try {
    while (!isOver(question)) {
      if (end.stopped()) return { question, stopped: end.stopped() ?? 'aborted' }
      try {
        const { approval: before } = question
        const approval = await store.waitFor(before.id, before.revision, end.signal)
        tellOfUpkeep(listeners, before, approval)
        question = storedQuestion(approval, question)
        troubleSince = undefined
        pause = FIRST_PAUSE
      } catch (error) {
        const stopped = end.stopped()
        if (stopped) return { question, stopped }
        if (!isPassing(error) || isCountersignError(error, 'approval_not_found')) throw error
        troubleSince ??= performance.now()
        if (performance.now() - troubleSince > STORE_PATIENCE) throw error
        await sleep(pause)
        pause = Math.min(2 * pause, 1_000)
      }
    }
    return { question }
  } finally {
    end.release()
  }
}

/** Emits upkeep to those who wait here, whichever process did it. */
function tellOfUpkeep(listeners: Listeners, before: Approval, approval: Approval): void {
  if (approval.reminders > before.reminders) listeners.emit('reminded', { approval })
  if (approval.escalated.length > before.escalated.length) {
    listeners.emit('escalated', { approval })
  }
  if (approval.talk === undefined) return
  if (openQuestions(approval).length > openQuestions(before).length) {
    listeners.emit('questioned', { approval })
  }
}
