import type { Approval } from '../../src/approval/approval.ts'
import type { Answer } from '../../src/gate/admin/approvals.ts'
import type { Gate } from '../../src/gate/gate.ts'
import { isUnavailable, type Outcome } from '../../src/gate/outcome.ts'
import type { Membership } from '../../src/server/identity/membership.ts'
import type { Store } from '../../src/store/store.ts'
import type { Place } from './crash-points.ts'
import type { Log } from './log.ts'
import { type Ended, MINUTE, type Operation, person, SWITCHED } from './operations.ts'
import { codeOf, NOT_THROUGH, pause } from './retries.ts'
import type { Script } from './script.ts'
import { standInOnce } from './stand-ins.ts'
import type { WitnessTool } from './witness.ts'

export interface Stage {
  readonly gate: Gate
  readonly store: Store
  readonly membership: Membership
  readonly tools: ReadonlyMap<string, WitnessTool>
  readonly log: Log<Operation>
  readonly seed: string
  readonly reach: (place: Place) => void
}

/** An agent's call from its question to its end, with the people around it. */
export async function play(stage: Stage, script: Script, onAsked: () => void): Promise<Outcome> {
  const people: Promise<unknown>[] = []
  const abort = new AbortController()
  const onPending = (approval: Approval) => {
    onAsked()
    people.push(answer(stage, script, approval, abort))
  }
  if (script.fate === 'granted later') {
    await grantOnce(stage)
    await revokeAll(stage)
  }
  if (isGranted(script)) await grantOnce(stage)
  if (script.fate.startsWith('lent')) await standInOnce(stage, 'dee', 'gus')
  if (script.fate === 'lent twice') await standInOnce(stage, 'dee', 'hal')
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
      const { grants } = await gate.admin.grants.list({ state: ['live'] })
      if (grants.length > 0) return
      await gate.admin.grants.mint(person('ana'), {
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

/** What was granted before covers nothing any more, while others may be about to use it. */
async function revokeAll({ gate }: Stage): Promise<void> {
  try {
    const { grants } = await gate.admin.grants.list({ state: ['live'] })
    for (const { id } of grants) await gate.admin.grants.revoke(id, person('ana'))
  } catch {
    // Away, locked or used up: then it stays as it is.
  }
}

function callOf({ tool, args, key }: Script) {
  const server = tool === SWITCHED.tool ? { server: SWITCHED.server } : {}
  return { tool, args, key, agent: 'clerk', run: 'books', ...server }
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
    const isPassing =
      outcome.status === 'blocked' && (isUnavailable(outcome.code) || outcome.code === 'locked')
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
    ...('code' in outcome ? { code: outcome.code } : {}),
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
  /** One after the other, over and over, until it is answered. */
  async function untilOver(names: readonly string[], every: number): Promise<void> {
    for (let look = 0; look < 300 && (await isPending(stage, approval)); look += 1) {
      await decide(names[look % names.length] ?? '', 'approve')
      await pause(every)
    }
  }

  switch (script.fate) {
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
      // A yes does not count while whoever gave it is locked, and never again once they were
      // removed. Afterwards they say it again.
      await untilOver(['ana', 'bo'], 50)
      return
    case 'lent':
    case 'lent twice':
      await Promise.all([decide('gus', 'approve'), decide('hal', 'approve')])
      await untilOver(['dee', 'gus', 'hal', 'eve', 'fay'], 10)
      return
    case 'escalated':
      // Nobody has asked her yet.
      await decide('ivy', 'approve')
      await untilEscalated(stage, approval)
      await untilOver(['ivy'], 50)
      return
    case 'looked at':
      await look(stage, script, approval)
      await extend(stage, approval)
      await decide('ana', 'approve')
      return
    case 'switched':
      await decide('ana', 'approve')
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

/** Somebody looks at what is hidden, and it is shown only once that is on record. */
async function look({ gate, log }: Stage, { key }: Script, approval: Approval): Promise<void> {
  const { id, digest } = approval
  const op = crypto.randomUUID()
  log.write({ phase: 'invoke', op, kind: 'reveal', key, approval: id, by: 'bo' })
  await ended(log, op, async () => {
    await gate.approvals.reveal(id, { by: person('bo'), seen: digest, path: ['pin'] })
    return { approval: id }
  })
}

async function extend({ gate }: Stage, { id, decideBy }: Approval): Promise<void> {
  try {
    await gate.approvals.extend(id, { by: person('bo'), until: decideBy + MINUTE })
  } catch {
    // It is answered, or locked: then there is nothing to extend.
  }
}

async function untilEscalated(stage: Stage, approval: Approval): Promise<void> {
  for (let look = 0; look < 1_500 && (await isPending(stage, approval)); look += 1) {
    const now = await stage.gate.approvals.get(approval.id).catch(() => undefined)
    if (now && now.approval.escalated.length > 0) return
    await pause(20)
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
    const code = codeOf(error)
    log.write({ phase: 'fail', op, code })
    return code
  }
}
