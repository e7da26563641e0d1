import { createGate } from '../../src/gate/gate.ts'
import { definePolicy } from '../../src/policy/load/define-policy.ts'
import type { Store } from '../../src/store/store.ts'
import { ANA, ARGS, type Cycles } from './contestant.ts'

/** The public gate, as a program has it: a rule with a condition, a group and a tool. */
export function countersign(store: Store): Cycles {
  const gate = createGate({
    policy: definePolicy({
      people: { groups: { finance: ['ana@example.com'] } },
      limits: { pending_per_agent: 5_000, asks_per_minute: 1_000_000 },
      tools: {
        transfer_money: {
          approval: {
            condition: { args_match: { amount: { gt: 10_000 } } },
            approvers: [{ group: 'finance' }],
          },
        },
      },
    }),
    store,
    agent: 'billing-bot',
    announce: false,
  })
  return {
    async cycle() {
      let sent = Number.NaN
      let woken = Number.NaN
      const call = { tool: 'transfer_money', args: ARGS, run: crypto.randomUUID(), key: 'transfer' }
      const transfer = async ({ amount }: typeof ARGS) => {
        woken = performance.now()
        return { receipt: 'r-1', amount }
      }
      let deciding: Promise<unknown> | undefined
      const outcome = await gate.run(call, transfer, {
        onPending: ({ id, digest }) => {
          sent = performance.now()
          deciding = gate.approvals.decide(id, { by: ANA, verdict: 'approve', seen: digest })
        },
      })
      await deciding
      if (outcome.status !== 'succeeded') throw new Error(JSON.stringify(outcome))
      return { wake: woken - sent }
    },
    async close() {
      await gate.close()
      await store.close()
    },
  }
}
