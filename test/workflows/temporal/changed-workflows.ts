/** The workflows of the histories, after a change of their code. */
import { patched } from '@temporalio/workflow'
import type { Json } from '../../../src/base/json/json.ts'
import { waitForApproval } from '../../../src/workflows/temporal/workflow.ts'

async function review(): Promise<Json> {
  const { status } = await waitForApproval({ name: 'review', approval: { edit: true } })
  return status
}

/** Asks at once, where the old code did a step first. */
export function expense(): Promise<Json> {
  return review()
}

/** Asks about something else first. */
export async function branches(): Promise<Json> {
  await waitForApproval({ name: 'before' })
  return null
}

/** A question more, for workflows that start from now on. */
export async function unwoken(): Promise<Json> {
  if (patched('second-look')) await waitForApproval({ name: 'before' })
  const { status } = await waitForApproval({ name: 'unwoken', looks: ['1s'] })
  return status
}
