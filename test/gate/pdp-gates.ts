import { onTestFinished, vi } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Answering } from '../support/decision-point.ts'
import { ana } from './gates.ts'

export const READ = { tool: 'read', args: { path: 'a' }, run: 'r1', key: 'k1' }
export const PAY = { tool: 'pay', args: { amount: 5, pin: '1234' }, run: 'r1', key: 'k2' }

export function policyWith(pdp: string, governance?: string) {
  const text = `version: 1\ntools: { pay: { approval: true, secrets: [pin] }, nuke: { approval: false } }\ngovernance: [{ id: no-nukes, match: { tool: nuke }, deny: Never. }]\n${pdp === '' ? '' : `pdp: ${pdp}\n`}`
  return parsePolicy({
    owner: { file: 'countersign.yaml', text },
    ...(governance ? { governance: [{ file: 'company.yaml', text: governance }] } : {}),
  })
}

export function gateWith(pdp: string, governance?: string) {
  const policy = policyWith(pdp, governance)
  const gate = createGate({ policy, store: memoryStore(), agent: 'bot', announce: false })
  onTestFinished(() => gate.close())
  const tool = vi.fn(() => 'done')
  return { gate, policy, tool }
}

export const approve = async ({ gate }: Pick<ReturnType<typeof gateWith>, 'gate'>, id: string) => {
  const found = await gate.approvals.get(id)
  const seen = found?.approval.digest ?? ''
  return gate.approvals.decide(id, { by: ana, verdict: 'approve', seen })
}

/** An answer of this type and status. */
export const text =
  (type: string, body: string | Buffer, status = 200): Answering =>
  (response) => {
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  }
export const JSON_TYPE = 'application/json'
export const YES = '{"decision":true}'
