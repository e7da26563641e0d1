import { CountersignError } from '../../base/errors.ts'
import { askedBy } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { type CallerIdentity, callAgain, ownerName } from '../identity.ts'
import { type Outcome, refusedBy } from '../outcome.ts'
import type { ResumeOptions } from '../run-options.ts'
import { storedQuestion, storePipeline } from '../store-backend.ts'
import { tracedCall } from '../telemetry/telemetry.ts'
import type { Tools } from '../tool.ts'
import { toolFor } from '../tools/resumed-tool.ts'
import { isForAnother } from './lease.ts'
import { useApproval } from './run.ts'
import { patienceOf } from './waiting.ts'

/** Runs what was approved, wherever and whenever that is; or tells why not. Never waits for people. */
export async function resumeApproval(
  core: GateContext,
  caller: CallerIdentity,
  id: string,
  tools: Tools,
  { signal, digest }: ResumeOptions,
): Promise<Outcome> {
  let approval: Awaited<ReturnType<GateContext['store']['get']>>
  try {
    approval = await core.store.get(id)
  } catch (error) {
    return refusedBy(error, '')
  }
  // One that speaks for one person resumes nothing that was approved for another.
  if (!approval || isForAnother(approval, caller)) {
    throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  }
  const { call } = approval
  const tool = await toolFor(tools, call, core.registry.definitionOf(caller, call))
  // A gate that speaks for one agent resumes only what that agent asked, and learns of nothing else.
  const agent = caller.agent ? ownerName(caller.agent) : call.agent
  if (agent !== call.agent) {
    const other = new CountersignError('not_the_asker', `approval ${id} belongs to another agent`)
    return refusedBy(other, call.tool)
  }
  const question = storedQuestion(approval, { digest: digest ?? approval.askedDigest, agent })
  const pipeline = storePipeline(core, caller)
  return tracedCall(
    core,
    { call: callAgain(call, {}, undefined), about: await askedBy(core, id) },
    () =>
      core.waiting.during(id, () =>
        useApproval(pipeline, question, tool, patienceOf(signal, undefined)),
      ),
  )
}
