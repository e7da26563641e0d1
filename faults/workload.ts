import type { Approval } from '../src/approval/approval.ts'
import { isCountersignError } from '../src/base/errors.ts'
import type { JsonObject } from '../src/base/json.ts'
import type { Answer } from '../src/gate/approvals.ts'
import type { Gate } from '../src/gate/gate.ts'
import type { Outcome } from '../src/gate/outcome.ts'
import type { Store } from '../src/store/store.ts'
import type { Log } from './log.ts'
import { type Ended, type Operation, person, type ToolName } from './operations.ts'
import type { Place } from './points.ts'
import { randomOf } from './seeds.ts'
import type { WitnessTool } from './witness.ts'

/** What people do about a call. Follows from its key, so it is the same after a restart. */
const FATES = [
  'approve',
  'twice',
  'quorum',
  'deny',
  'edit',
  'abort',
  'ignore',
  'suspend',
  'revoke',
  'fails',
  'contested',
  'granted',
  'granted later',
] as const
type Fate = (typeof FATES)[number]

export interface Stage {
  readonly gate: Gate
  readonly tools: ReadonlyMap<string, WitnessTool>
  readonly log: Log<Operation>
  readonly seed: string
  readonly reach: (place: Place) => void
}

export interface Script {
  readonly key: string
  readonly fate: Fate
  readonly tool: ToolName
  readonly args: JsonObject
}

export function scriptOf(seed: string, key: string): Script {
  const random = randomOf(seed, key)
  // The first calls of a cycle are spread over all fates, so that every place is reached.
  const fate =
    FATES[(Number(key.split('-').at(-1)) * 3 + random.below(3)) % FATES.length] ?? 'approve'
  const tool =
    fate === 'quorum' || fate === 'contested' ? 'wire' : fate === 'ignore' ? 'note' : 'pay'
  const fails: JsonObject = fate === 'fails' ? { fails: true } : {}
  const granted: JsonObject = fate.startsWith('granted') ? { granted: true } : {}
  return {
    key,
    fate,
    tool,
    args: { amount: 1 + random.below(90), memo: key, ...fails, ...granted },
  }
}

/** An agent's call from its question to its end, with the people around it. */
export async function play(stage: Stage, script: Script, onAsked: () => void): Promise<Outcome> {
  const people: Promise<unknown>[] = []
  const abort = new AbortController()
  const onPending = (approval: Approval) => {
    onAsked()
    people.push(answer(stage, script, approval, abort))
  }
  if (isGranted(script)) await grantOnce(stage)
  const outcome =
    script.fate === 'suspend' || script.fate === 'granted later'
      ? await suspend(stage, script, onPending)
      : await runToEnd(stage, script, abort.signal, onPending)
  await Promise.all(people)
  return outcome
}

function isGranted({ fate }: Script): boolean {
  return fate === 'granted' || fate === 'granted later'
}

/** A permission for two calls, made as soon as somebody comes who could use it. */
async function grantOnce({ gate }: Stage): Promise<void> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    try {
      const { grants } = await gate.grants.list({ state: ['live'] })
      if (grants.length > 0) return
      await gate.grants.mint(person('ana'), {
        tool: 'pay',
        agent: 'clerk',
        condition: { args_match: { granted: true } },
        uses: 2,
        budget: { path: 'amount', most: 150 },
        lasts: 60_000,
      })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function callOf({ tool, args, key }: Script) {
  return { tool, args, key, agent: 'clerk', run: 'books' }
}

function toolOf({ tools }: Stage, name: string): WitnessTool {
  const tool = tools.get(name)
  if (!tool) throw new Error(`no tool ${name}`)
  return tool
}

async function runToEnd(
  stage: Stage,
  script: Script,
  signal: AbortSignal,
  onPending: (approval: Approval) => void,
): Promise<Outcome> {
  const run = () =>
    told(stage, { kind: 'run', key: script.key }, () =>
      stage.gate.run(callOf(script), toolOf(stage, script.tool), { signal, onPending }),
    )
  return patiently(run)
}

/** A store that is away comes back, and locks are lifted: a caller asks again, under the same key. */
async function patiently(run: () => Promise<Outcome>): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await run()
    const isPassing = outcome.status === 'unavailable' || outcome.status === 'locked'
    if (!isPassing || attempt > 200) return outcome
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function suspend(
  stage: Stage,
  script: Script,
  onPending: (approval: Approval) => void,
): Promise<Outcome> {
  const { gate, tools, log } = stage
  for (let attempt = 1; ; attempt += 1) {
    const op = crypto.randomUUID()
    log.write({ phase: 'invoke', op, kind: 'check', key: script.key })
    const { definition } = toolOf(stage, script.tool)
    const checked = await gate.check(callOf(script), { definition })
    const id = 'approval' in checked ? checked.approval?.id : undefined
    log.write({ phase: 'ok', op, status: checked.status, ...(id ? { approval: id } : {}) })
    if (checked.status === 'pending') onPending(checked.approval)
    else if (id !== undefined) {
      const outcome = await patiently(() =>
        told(stage, { kind: 'resume', key: script.key, approval: id }, () =>
          gate.resume(id, tools),
        ),
      )
      if (outcome.status !== 'pending') return outcome
    }
    // It waits for nobody: it comes back later, and later still when the store is away.
    await new Promise((resolve) => setTimeout(resolve, id === undefined ? 100 : 10))
    if (attempt > 300) throw new Error(`${script.key} is ${checked.status} for ever`)
  }
}

/** What the agent was told, word for word, before it acts on it. */
async function told(
  { log }: Stage,
  about: { kind: 'run' | 'resume'; key: string; approval?: string },
  run: () => Promise<Outcome>,
): Promise<Outcome> {
  const op = crypto.randomUUID()
  log.write({ phase: 'invoke', op, ...about })
  const outcome = await run()
  const { status, ran, approval } = outcome
  log.write({
    phase: 'ok',
    op,
    status,
    ran,
    ...(approval ? { approval: approval.id } : {}),
    ...('unrecorded' in outcome && outcome.unrecorded ? { unrecorded: true } : {}),
  })
  return outcome
}

async function answer(
  stage: Stage,
  script: Script,
  approval: Approval,
  abort: AbortController,
): Promise<void> {
  const decide = (name: string, verdict: 'approve' | 'deny', more: Partial<Answer> = {}) =>
    decideOnce(stage, script.key, approval, {
      by: person(name),
      verdict,
      seen: approval.digest,
      ...more,
    })
  switch (script.fate) {
    case 'approve':
    case 'fails':
    case 'suspend':
      await decide('ana', 'approve')
      return
    case 'twice':
      await Promise.all([decide('ana', 'approve'), decide('ana', 'approve')])
      await decide('ana', 'approve')
      return
    case 'quorum':
      await Promise.all([decide('ana', 'approve'), decide('bo', 'approve')])
      // A yes does not count while whoever gave it is locked. Afterwards somebody says it again.
      for (let look = 0; look < 200 && (await isPending(stage, approval)); look += 1) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        await decide('ana', 'approve')
      }
      return
    case 'contested':
      await Promise.all([decide('ana', 'approve'), decide('bo', 'approve'), decide('cy', 'deny')])
      return
    case 'deny':
      await decide('bo', 'deny', { reason: 'not this one' })
      return
    case 'edit':
      await decide('ana', 'approve', { args: { ...script.args, amount: 99 } })
      return
    case 'abort': {
      const yes = decide('ana', 'approve')
      abort.abort()
      await yes
      return
    }
    case 'revoke':
      await decide('ana', 'approve')
      await decide('bo', 'deny', { reason: 'on second thoughts' })
      return
    // Nothing is left of the grant: then a person answers.
    case 'granted':
    case 'granted later':
      await decide('ana', 'approve')
      return
    case 'ignore':
      return
  }
}

async function isPending({ gate }: Stage, { id }: Approval): Promise<boolean> {
  try {
    return (await gate.approvals.get(id))?.approval.status === 'pending'
  } catch {
    return true
  }
}

/** Somebody who runs whatever can be run, at once and all together. */
export async function resumeAll(stage: Stage, store: Store): Promise<Promise<Outcome>[]> {
  const { approvals } = await store.list({}, { limit: 500 })
  return approvals.map(({ id, call: { key = '' } }) =>
    told(stage, { kind: 'resume', key, approval: id }, () => stage.gate.resume(id, stage.tools)),
  )
}

/** A person whose click did not get through clicks again. */
export async function decideOnce(
  stage: Stage,
  key: string,
  approval: Approval,
  answer: Answer,
): Promise<void> {
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const code = await decideNow(stage, key, approval, answer)
    if (code === undefined || !NOT_THROUGH.test(code)) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Codes after which whoever sent it sends it again. */
export const NOT_THROUGH = /^(store_|outcome_unknown|clock_behind|internal|locked)/

async function decideNow(
  { gate, log, reach }: Stage,
  key: string,
  { id }: Approval,
  answer: Answer,
): Promise<string | undefined> {
  const op = crypto.randomUUID()
  const { by, verdict, seen } = answer
  log.write({ phase: 'invoke', op, kind: 'decide', key, approval: id, by: by.subject, verdict })
  reach('people before')
  const code = await ended(log, op, async () => {
    const after = await gate.approvals.decide(id, answer)
    const mine = after.decisions.find(
      (one) => one.by.subject === by.subject && one.verdict === verdict && one.seen === seen,
    )
    return { approval: id, status: after.status, digest: mine?.digest ?? 'none' }
  })
  reach('people after')
  return code
}

/** A person writes down what happened to a call nobody knows about. */
export async function resolveOnce({ gate, log }: Stage, key: string, id: string): Promise<void> {
  const op = crypto.randomUUID()
  log.write({ phase: 'invoke', op, kind: 'resolve', key, approval: id, outcome: 'failed' })
  await ended(log, op, async () => {
    const by = person('bo')
    const { status } = await gate.approvals.resolve(id, { by, outcome: 'failed' })
    return { approval: id, status }
  })
}

async function ended(
  log: Log<Operation>,
  op: string,
  run: () => Promise<Omit<Ended, 'phase' | 'op'>>,
): Promise<string | undefined> {
  try {
    log.write({ phase: 'ok', op, ...(await run()) })
    return undefined
  } catch (error) {
    // The driver's own error when a read meets a server that is away.
    const code = isCountersignError(error) ? error.code : 'store_unavailable'
    log.write({ phase: 'fail', op, code })
    return code
  }
}
