import type { Approval } from '../../approval/approval.ts'
import type { Command, Decide, Invalidate, Resolve, Withdraw } from '../../approval/command.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { freshParse } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { givenOptions } from '../../base/options.ts'
import { mask } from '../../base/secrets/mask.ts'
import { noteDecision } from '../../store/records/decision-record.ts'
import type { Filter, Page, PageRequest } from '../../store/store.ts'
import { type Hints, type WatchOptions, watch } from '../background/watch.ts'
import { viewNow } from '../content/arguments.ts'
import { boundDefinition, maskingSchema } from '../content/binding.ts'
import { prepareEdit } from '../content/edit.ts'
import { type Looked, revealValue } from '../content/reveal.ts'
import { askedBy, latest, type Question, questionOf } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { answersTo } from '../form/form-answers.ts'
import { rememberFacts } from '../gate-facts.ts'
import { type CallerIdentity, callAgain, ownerName } from '../identity.ts'
import { votersNow } from '../people.ts'
import { shownPreview } from '../preview/stored-preview.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import { type GrantWish, grantFrom } from './grants.ts'
import { type RunReport, reportRun } from './run-reports.ts'
import { noteReach } from './satisfiable.ts'
import { withAbsent } from './stand-ins.ts'
import { createTalk, type Talk } from './talk.ts'

/** What a person is shown: exactly what would run, except for secrets. */
export interface Shown {
  readonly approval: Approval
  readonly args: JsonObject | undefined
  readonly question: Question | undefined
}

/** One person's answer. Who they are comes from the session, never from what they sent. */
export interface Answer {
  readonly by: Person
  readonly verdict: 'approve' | 'deny'
  /** The digest they were shown. */
  readonly seen: string
  readonly reason?: string
  readonly payload?: Json
  readonly answer?: string
  /** New arguments: the whole of them. */
  readonly args?: unknown
  /** A yes to calls like this one, too. */
  readonly grant?: GrantWish
}

/** Everything people do with approvals. Refusals are thrown as `CountersignError`. */
export interface Approvals extends Talk {
  list(filter?: Filter, page?: PageRequest): Promise<Page>
  get(id: string): Promise<Shown | undefined>
  decide(id: string, answer: Answer): Promise<Approval>
  extend(id: string, extension: { by: Person; until: number }): Promise<Approval>
  /** Lifts a denial: an equal call of its run asks again. */
  lift(id: string, by: Person): Promise<Approval>
  remind(id: string, by: Person): Promise<Approval>
  escalate(id: string, by: Person): Promise<Approval>
  withdraw(id: string, by: Withdraw['by']): Promise<Approval>
  invalidate(id: string, why: { reason: Invalidate['reason']; by?: Person }): Promise<Approval>
  resolve(
    id: string,
    end: { by: Person; outcome: Resolve['outcome']; reason?: string },
  ): Promise<Approval>
  /** One hidden value, after it is on record who looked. */
  reveal(id: string, looked: Looked): Promise<Json>
  watch(options?: WatchOptions): AsyncIterable<Hints>
  /** Says how far the workflow is that asked, or how it ended, as the agent that asked. */
  report(id: string, report: RunReport): Promise<void>
}

/** An approval is for what the approver saw. Where nothing is left to see, none can be given. */
async function assertShown({ store }: GateContext, approval: Approval): Promise<void> {
  const { id } = approval
  const recent = store.recent?.(id)
  const known = recent?.approval.revision === approval.revision ? recent.content : undefined
  const content = known ?? (await store.content(id, ['arguments']))
  if (typeof latest(content, 'arguments') !== 'string')
    throw gone(`the arguments of approval ${id} are no longer kept`)
  const { call } = approval
  if (call.preview === undefined) return
  const { isKnown } = await shownPreview(call, await store.content(id, ['question']))
  if (!isKnown) throw gone(`the preview of approval ${id} is not the one that was stored`)
}

function gone(message: string): CountersignError {
  return new CountersignError('content_gone', message, {
    hint: 'Deny it, and let the agent ask again.',
  })
}

export function createApprovals(core: GateContext, caller: CallerIdentity): Approvals {
  const { store } = core

  async function apply(id: string, command: Command): Promise<Approval> {
    const { approval, events } = await store.apply(id, command)
    if (command.type === 'remind' || command.type === 'escalate') {
      if (events.length > 0) {
        core.listeners.emit(command.type === 'remind' ? 'reminded' : 'escalated', { approval })
      }
    }
    if (events.length > 0 && approval.status !== 'pending')
      core.listeners.emit('decided', { approval })
    return approval
  }

  async function known(id: string): Promise<Approval> {
    const approval = store.recent?.(id)?.approval ?? (await store.get(id))
    if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
    return approval
  }

  async function decide(approval: Approval, said: Answer): Promise<Approval> {
    const { args, grant: wish, ...answer } = givenOptions(said)
    if (answer.verdict === 'approve') await assertShown(core, approval)
    const edit = args === undefined ? undefined : await prepareEdit(core, caller, approval, args)
    const digest = edit?.digest ?? approval.digest
    const answers = approval.call.form === undefined ? {} : await answersTo(core, approval, answer)
    const command: Decide = {
      type: 'decide',
      ...sent(),
      ...answer,
      ...answers,
      by: await withAbsentNow(answer.by),
      ...(edit ? { edit } : {}),
      ...(wish ? { grant: grantFrom({ ...approval, digest }, wish) } : {}),
      ...(approval.decisions.length > 0 ? { voters: await votersNow(core, approval) } : {}),
    }
    const now = await apply(approval.id, command)
    await noteDecision(store.records, command.by)
    // New arguments can ask for people who are not there.
    if (edit && now.status === 'pending') await noted(now)
    return now
  }

  async function decideInSpan(
    telemetry: Telemetry,
    approval: Approval,
    answer: Answer,
  ): Promise<Approval> {
    const { id, call } = approval
    const attributes = {
      'gen_ai.tool.name': call.tool,
      'countersign.approval.id': id,
      'countersign.decision': answer.verdict,
    }
    const about = await askedBy(core, id)
    return telemetry.span({ name: 'countersign.decide', attributes, about }, async (span) => {
      const now = await decide(approval, answer)
      span.set({ 'countersign.status': now.status })
      return now
    })
  }

  /** The person, with those they may answer for now. Mostly there is no stand-in at all. */
  async function withAbsentNow(by: Person): Promise<Person> {
    await core.locks.current()
    const hasNone = core.locks.standIns.length === 0 && by.for === undefined
    return hasNone ? by : withAbsent(core, by)
  }

  /** It is noted all the same, only later, when this fails. */
  async function noted(approval: Approval): Promise<void> {
    try {
      const [directory, locks] = await Promise.all([core.people.directory(), core.locks.current()])
      await noteReach({ store, directory, locks }, approval)
    } catch {}
  }

  const approvals: Approvals = {
    list: (filter = {}, page = {}) => store.list(filter, page),
    async get(id) {
      const approval = await store.get(id)
      return approval && { approval, ...(await shown(core, approval)) }
    },
    async decide(id, answer) {
      const approval = await known(id)
      return core.telemetry
        ? decideInSpan(core.telemetry, approval, answer)
        : decide(approval, answer)
    },
    extend: async (id, { by, until }) =>
      apply(id, { type: 'extend', ...sent(), by: await withAbsentNow(by), until }),
    lift: async (id, by) => apply(id, { type: 'lift', ...sent(), by: await withAbsentNow(by) }),
    remind: async (id, by) => apply(id, { type: 'remind', ...sent(), by: await withAbsentNow(by) }),
    escalate: async (id, by) =>
      apply(id, { type: 'escalate', ...sent(), by: await withAbsentNow(by) }),
    withdraw: (id, by) => apply(id, { type: 'withdraw', ...sent(), by }),
    invalidate: (id, why) => apply(id, { type: 'invalidate', ...sent(), ...why }),
    resolve: (id, end) => apply(id, { type: 'resolve', ...sent(), ...end }),
    reveal: async (id, looked) =>
      revealValue(core, id, { ...looked, by: await withAbsentNow(looked.by) }),
    watch: (options = {}) => watch(store, options),
    report: (id, report) => reportRun(core, caller, id, report),
    ...createTalk(core),
  }
  rememberFacts(approvals, {
    people: core.people,
    agent: caller.agent && ownerName(caller.agent),
    principal: caller.principal?.subject,
  })
  return approvals
}

function sent() {
  return { commandId: crypto.randomUUID() }
}

async function shown(core: GateContext, { id, call }: Approval): Promise<Omit<Shown, 'approval'>> {
  const content = await core.store.content(id)
  const text = latest(content, 'arguments')
  const question = questionOf(content)
  const shownQuestion = question && maskedQuestion(question)
  if (typeof text !== 'string') return { args: undefined, question: shownQuestion }
  const args = freshParse(text) as JsonObject
  const { value } = viewNow({
    policy: core.policy(),
    call: callAgain(call, args, undefined),
    schema: maskingSchema(await boundDefinition(call, content)),
    view: question?.view,
  })
  return { args: value, question: shownQuestion }
}

/** The delegating agent's input is kept as it was, because rules look at it again. */
function maskedQuestion({ parentInput, ...question }: Question): Question {
  return parentInput ? { ...question, parentInput: mask(parentInput).value } : question
}
