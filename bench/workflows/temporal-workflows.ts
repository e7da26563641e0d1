/** Run in Temporal's sandbox. */
import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'
import type { JsonObject } from '../../src/base/json/json.ts'
import { type ApprovalRequest, requireApproval } from '../../src/workflows/temporal/workflow.ts'

interface Bank {
  ask(id: string): Promise<void>
  answer(id: string): Promise<void>
  transfer(id: string): Promise<JsonObject>
}

const { transfer, ask, answer } = proxyActivities<Bank>({ startToCloseTimeout: '1m' })

export async function own(id: string): Promise<JsonObject> {
  let isApproved = false
  setHandler(defineSignal('decided'), () => {
    isApproved = true
  })
  await condition(() => isApproved, '10m')
  return transfer(id)
}

export async function plain(id: string): Promise<JsonObject> {
  let isDecided = false
  setHandler(defineSignal('decided'), () => {
    isDecided = true
  })
  await ask(id)
  await condition(() => isDecided, '10m')
  await answer(id)
  return transfer(id)
}

export async function countersign(id: string, request: ApprovalRequest): Promise<JsonObject> {
  await requireApproval(request)
  return transfer(id)
}
