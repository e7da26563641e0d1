import { createGate } from '../../src/gate/gate.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import type { Store } from '../../src/store/store.ts'
import type { WorkflowGate } from '../../src/workflows/gates.ts'
import { ANA, ARGS } from '../cycle/contestant.ts'

/** What a workflow asks, by the id of its cycle. */
export function requestOf(id: string) {
  return {
    name: 'transfer',
    title: 'Transfer to Northwind',
    args: { id, ...ARGS },
    approvers: [{ group: 'finance' }],
    timeout: '7 days',
  }
}

interface Question {
  readonly id: string
  readonly digest: string
}

/** A gate whose questions are answered with yes as soon as they are stored. */
export interface AskingGate {
  readonly gate: WorkflowGate
  /** Resolves when the workflow of this cycle has asked. */
  asked(cycle: string): Promise<Question>
  approve(question: Question): Promise<unknown>
  close(): Promise<void>
}

export function askingGate(store: Store, channels: readonly Channel[]): AskingGate {
  const made = createGate({
    policy: definePolicy({
      people: { groups: { finance: ['ana@example.com'] } },
      limits: { pending_per_agent: 5_000, asks_per_minute: 1_000_000 },
    }),
    store,
    agent: 'billing-bot',
    channels,
    announce: false,
  })
  const waiting = new Map<string, (question: Question) => void>()
  return {
    gate: {
      ...made,
      async check(call, options) {
        const now = await made.check(call, options)
        if (now.status === 'pending') {
          const cycle = String(call.args.id)
          waiting.get(cycle)?.(now.approval)
          waiting.delete(cycle)
        }
        return now
      },
    },
    asked: (cycle) => new Promise((resolve) => waiting.set(cycle, resolve)),
    approve: ({ id, digest }) =>
      made.approvals.decide(id, { by: ANA, verdict: 'approve', seen: digest }),
    async close() {
      await made.close()
      await store.close()
    },
  }
}

/** When the step after the gate began, by the id of its cycle. */
export function wakes() {
  const at = new Map<string, number>()
  return {
    woken: (id: string) => void at.set(id, performance.now()),
    take(id: string, sent: number) {
      const wake = (at.get(id) ?? Number.NaN) - sent
      at.delete(id)
      return { wake }
    },
  }
}

export const RESULT = { receipt: 'r-1', amount: ARGS.amount }
