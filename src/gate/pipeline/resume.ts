import type { AskedCall } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { digestDefinition } from '../content/binding.ts'
import { askedBy } from '../content/stored-content.ts'
import type { GateContext } from '../context.ts'
import { type CallerIdentity, callAgain, ownerName } from '../identity.ts'
import { type Outcome, refusedBy } from '../outcome.ts'
import { storedQuestion, storePipeline } from '../store-backend.ts'
import { tracedCall } from '../telemetry/telemetry.ts'
import { type NamedTool, type Tools, toolsNamed } from '../tool.ts'
import { useApproval } from './run.ts'
import { patienceOf } from './waiting.ts'

export interface ResumeOptions {
  readonly signal?: AbortSignal | undefined
  /** The digest as asked, where the caller has kept it: it must be that of the approval. */
  readonly digest?: string | undefined
}

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
  if (!approval) throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  const { call } = approval
  const tool = await toolFor(core, caller, tools, call)
  // A gate that speaks for one agent resumes only what that agent asked.
  const agent = caller.agent ? ownerName(caller.agent) : call.agent
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

/** The tool that was shown, when it is there; otherwise the one of that name, which the claim refuses. */
async function toolFor(
  { registry }: GateContext,
  caller: CallerIdentity,
  tools: Tools,
  call: AskedCall,
): Promise<NamedTool> {
  const { tool: name } = call
  const named = toolsNamed(tools, name).map((tool) => ({
    ...tool,
    definition: tool.definition ?? registry.definitionOf(caller, call),
  }))
  for (const tool of named) {
    if ((await digestDefinition(tool.definition)) === call.definition) return tool
  }
  const [other] = named
  if (other) return other
  throw new CountersignError('tool_unknown', `there is no tool called ${name} here`, {
    hint: 'Pass the tools this process can run, by name.',
  })
}
