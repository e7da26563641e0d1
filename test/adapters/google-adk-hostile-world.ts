import { type Context, FunctionTool } from '@google/adk'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { kim, uma } from '../../src/testing/adapter-play.ts'

export const POLICY = `version: 1
tools: { pay: { approval: { edit: true } } }
local_agents:
  - { alias: payer, approval: { edit: true } }
  - { alias: reader, approval: false }
  - { alias: risky, approval: { condition: { args_match: { parent.input.risk_level: { in: [high, critical] } } } } }
`

/** Other work may keep the machine busy. */
export const PATIENT = { timeout: 15_000 }

export const stores = new WeakMap<object, Store>()

export function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const principal = { issuer: uma.issuer, subject: uma.subject }
  const gate = createGate({ policy, store, agent: 'biller', principal })
  stores.set(gate, store)
  return gate
}

export type Gate = ReturnType<typeof open>

export async function recorded(gate: Gate, id: string): Promise<unknown> {
  const store = stores.get(gate)
  const key = (await store?.get(id))?.execution?.result
  return (await store?.content(id))?.find((one) => one.key === key)?.value
}

export async function pending(gate: Gate) {
  return (await gate.approvals.list({ status: ['pending'] })).approvals
}

export async function approve(gate: Gate, args?: object): Promise<string> {
  const { id, digest } = await vi.waitFor(async () => {
    const [first] = await pending(gate)
    if (!first) throw new Error('nobody was asked')
    return first
  }, PATIENT)
  const edit = args === undefined ? {} : { args: args as never }
  await gate.approvals.decide(id, { by: kim, verdict: 'approve', seen: digest, ...edit })
  return id
}

export const AMOUNT = z.object({ amount: z.number() })

export function tool(
  name: string,
  execute: (amount: number, context: Context) => unknown,
  more: object = {},
): FunctionTool {
  return new FunctionTool({
    name,
    description: `does ${name}`,
    parameters: AMOUNT,
    execute: ({ amount }: { amount: number }, context?: Context) =>
      execute(amount, context as Context),
    ...more,
  } as never) as unknown as FunctionTool
}
