import type { AgentApproval } from '../api/agent.ts'
import { foldAddress } from '../base/address.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import type { Pipeline } from '../gate/backend.ts'
import { type Outcome, refusedBy } from '../gate/outcome.ts'
import { useApproval } from '../gate/pipeline/run.ts'
import { patienceOf } from '../gate/pipeline/waiting.ts'
import type { ResumeOptions } from '../gate/run-options.ts'
import type { Tools } from '../gate/tool.ts'
import { toolFor } from '../gate/tools/resumed-tool.ts'
import { readApproval } from './answers.ts'
import type { Connection } from './connection.ts'
import { dropsResult, type RemoteCaller, type Rules } from './judge.ts'
import type { ServerCall, ServerQuestion } from './server-backend.ts'

export interface Resuming {
  readonly connection: Connection
  readonly rules: Pick<Rules, 'declarations' | 'definitions'>
  readonly pipeline: Pipeline<ServerCall, ServerQuestion>
  readonly caller: RemoteCaller
}

/** Runs what was approved on the server, or tells why not. Never waits for people. */
export async function resumeRemote(
  resuming: Resuming,
  id: string,
  tools: Tools,
  { signal, digest }: ResumeOptions,
): Promise<Outcome> {
  const { rules, caller } = resuming
  const { declarations, definitions } = rules
  let told: AgentApproval
  try {
    told = await lookUp(resuming.connection, id)
  } catch (error) {
    if (isCountersignError(error, 'approval_not_found')) throw error
    return refusedBy(error, '')
  }
  const { call, status, execution } = told
  if (isForAnother(call, caller)) throw notFound(id)
  const found = await toolFor(tools, call, definitions.of(call))
  const { kind, tool: name, server } = call
  const isOwn = kind === 'tool' && server === undefined
  const drops = isOwn && dropsResult(declarations.wordsOf(name, true))
  const tool = drops ? { ...found, drop: true } : found
  const asked = { kind, tool: name, args: {}, ...(server === undefined ? {} : { server }) }
  const question: ServerQuestion = {
    ...{ id, tool: name, status, execution, told },
    digest: digest ?? told.digest,
    read: { call: asked, definition: tool.definition },
    shown: call.definition,
  }
  const pipeline = caller.mode.kind === 'denyAll' ? claimless(resuming.pipeline) : resuming.pipeline
  return pipeline.waiting.during(id, () =>
    useApproval(pipeline, question, tool, patienceOf(signal, undefined)),
  )
}

async function lookUp({ call, repeat }: Connection, id: string): Promise<AgentApproval> {
  // An empty one would be the address of the list.
  if (id === '') throw notFound(id)
  return readApproval(await repeat(() => call('GET /v1/approvals/:id', { params: { id } })))
}

/** A gate that speaks for one person resumes nothing that was approved for another. */
function isForAnother({ principal = '' }: AgentApproval['call'], caller: RemoteCaller): boolean {
  const { principal: own } = caller
  return own !== undefined && foldAddress(own) !== foldAddress(principal)
}

function notFound(id: string): CountersignError {
  return new CountersignError('approval_not_found', `there is no approval ${id}`)
}

/** A preview runs nothing and spoils nothing either: the approval stays as it is. */
function claimless(
  pipeline: Pipeline<ServerCall, ServerQuestion>,
): Pipeline<ServerCall, ServerQuestion> {
  return {
    ...pipeline,
    backend: {
      ...pipeline.backend,
      claim: async () => {
        throw new CountersignError('denied_by_policy', '')
      },
    },
  }
}
