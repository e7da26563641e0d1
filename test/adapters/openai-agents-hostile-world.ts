import { Runner } from '@openai/agents'
import { functionCall } from '@openai/agents/testing'
import { onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { kim } from '../../src/testing/adapter-play.ts'

export const POLICY = `version: 1
tools: { pay: { approval: { edit: true } } }
local_agents:
  - { alias: helper, approval: { edit: true } }
  - { alias: risky, approval: { condition: { args_match: { parent.input.risk_level: { in: [high, critical] } } } } }
  - { alias: free, approval: false }
`

export const runner = new Runner({ tracingDisabled: true })

export const call = (id: string, name: string, args: Record<string, unknown>) =>
  functionCall(name, args, { callId: id })

/** Other work may keep the machine busy. */
export const PATIENT = { timeout: 15_000 }

export const stores = new WeakMap<object, Store>()

export function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  const gate = createGate({ policy, store, agent: 'biller' })
  stores.set(gate, store)
  return gate
}

export type Gate = ReturnType<typeof open>

export async function pending(gate: Gate) {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  return approvals
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

export interface User {
  readonly user?: { readonly trusted: boolean }
}

export type Ctx = { readonly context?: User }
