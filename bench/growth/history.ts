import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import type { ChainEvent } from '../../src/store/audit/audit-entry.ts'
import { newTip, type Tip } from '../../src/store/audit/chain.ts'
import { type Plan, plan, type Write } from '../../src/store/engine/plan.ts'
import {
  approverNamed,
  asking,
  claiming,
  deciding,
  finishing,
  telling,
} from '../../src/testing/commands.ts'

export const TENANT = 'default'
const AT_ONCE = 250
/** As many as this wait at the end, whatever the size: a history grows, an inbox is worked off. */
const WAITING = 50
export const BUSY_AGENT = 'agent-busy'
const TOOLS = ['transfer_money', 'send_mail', 'delete_rows', 'deploy', 'refund', 'post_message']
const RISKS = ['L1', 'L2', 'L3', 'L4', 'L5'] as const
const DAY = 86_400_000

/** Exactly the rows that a store writes: the same plan makes them, with a clock of its own. */
export function createHistory(size: number) {
  let tip: Tip = newTip(crypto.randomUUID())
  const writer = tip.writer
  // Over two months, and over before the last five minutes.
  const begin = Date.now() - 60 * DAY
  const perBatch = Math.floor((60 * DAY - 300_000) / Math.ceil(size / AT_ONCE))
  let made = 0

  function run(
    commands: ReadonlyMap<string, Command>,
    approvals: readonly Approval[],
    now: number,
    opening?: ChainEvent,
  ): Plan {
    const planned = plan(
      [...commands].map(([id, command]) => ({ id, command, resolve() {}, reject() {} })),
      { approvals, now, locks: [], standIns: [], holds: [] },
      { tenant: TENANT, tip, newest: 0, ...(opening ? { opening } : {}) },
    )
    tip = planned.tip
    for (const outcome of planned.outcomes) if ('error' in outcome) throw outcome.error
    return planned
  }

  function request(n: number) {
    const agent = n % 10 < 3 ? BUSY_AGENT : `agent-${n % 200}`
    const amount = (n * 7_919) % 100_000
    const asked = asking({
      call: {
        agent,
        door: 'http',
        tool: TOOLS[n % TOOLS.length] ?? 'deploy',
        ...(n % 4 === 0 ? { server: `server-${n % 8}` } : {}),
        run: `run-${Math.floor(n / 20)}`,
        key: `call-${n}`,
        risk: RISKS[(n * 31) % RISKS.length] ?? 'L1',
      },
      terms: { decideBy: 3_600_000 },
    })
    const message = `Allow ${agent} to move ${amount} euros for customer c-${n} (invoice ${n * 13})?`
    return { ...asked, content: { ...asked.content, message } }
  }

  /** What becomes of it: most run, some are denied, run out, fail, or are left with a yes unused. */
  function stepsOf(n: number): readonly ((approval: Approval) => Command)[] {
    if (made >= size - WAITING && n >= size - WAITING) return []
    const by = approverNamed(`person-${n % 20}`)
    const end = n % 50
    if (end < 5) return [(one) => deciding(one, by, 'deny')]
    if (end < 9) return [() => telling('expire')]
    const yes = [(one: Approval) => deciding(one, by), (one: Approval) => claiming(one)] as const
    if (end === 9) return [...yes, (one) => ({ ...finishing(one), outcome: 'failed' })]
    return [...yes, (one) => finishing(one, { receipt: `r-${n}` })]
  }

  return {
    writer,
    begin,
    /** Undefined once there are as many as were wanted. */
    next(): Plan | undefined {
      if (made >= size) return undefined
      const first = made
      const many = Math.min(AT_ONCE, size - made)
      made += many
      let now = begin + Math.floor(first / AT_ONCE) * perBatch
      const requests = Array.from({ length: many }, (_, index) => request(first + index))
      const opening: ChainEvent | undefined =
        first === 0 ? { type: 'chain.started', tenant: TENANT, at: now, links: [] } : undefined
      const isLast = made >= size
      // The newest wait now, so that their clock has not run out.
      if (isLast) now = Date.now() - 120_000
      const plans = [run(new Map(requests.map((one) => [one.id, one])), [], now, opening)]
      const current = new Map(plans[0]?.writes.map(({ after }) => [after.id, after]))
      const steps = requests.map(({ id }, index) => [id, stepsOf(first + index)] as const)
      for (let at = 0; at < 3; at += 1) {
        now += 1_000
        const commands = new Map<string, Command>()
        for (const [id, own] of steps) {
          const approval = current.get(id)
          const step = own[at]
          if (approval && step) commands.set(id, step(approval))
        }
        const expiring = [...commands].filter(([, { type }]) => type === 'expire')
        const others = [...commands].filter(([, { type }]) => type !== 'expire')
        for (const [group, when] of [
          [others, now],
          [expiring, isLast ? now : now + 3_600_000],
        ] as const) {
          // What ends in the last minutes is denied by time only once that time has come.
          const due = isLast && group === expiring ? [] : group
          if (due.length === 0) continue
          const planned = run(new Map(due), [...current.values()], when)
          for (const { after } of planned.writes) current.set(after.id, after)
          plans.push(planned)
        }
      }
      return merged(plans)
    },
  }
}

/** Each approval once, as it ended, with every event and all content on the way. */
function merged(plans: readonly Plan[]): Plan {
  const last = new Map<string, Write>()
  for (const { writes } of plans) {
    for (const write of writes) last.set(write.after.id, { ...write, before: undefined })
  }
  return {
    ...(plans[0] as Plan),
    writes: [...last.values()],
    entries: plans.flatMap(({ entries }) => entries),
    content: plans.flatMap(({ content }) => content),
  }
}
