import type { MessageData, ResumeOptions } from 'genkit'
import { isPlainObject } from '../../base/json/json.ts'
import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import type { InBand } from '../in-band.ts'
import { answerWith, type InChat, withAnswers } from '../waking.ts'
import { type GuardedTools, guardedBehind } from './guard-tools.ts'
import { callOf, type GuardedTool, stands, type Waiting, waitingIn } from './guarded-tool.ts'
import type { Message, Part, ToolRequestPart } from './sdk-types.ts'

export type { Waiting } from './guarded-tool.ts'

export interface SettleOptions {
  /** What a user answered in the application, and who that was, authenticated. */
  readonly answers?: readonly InChat[]
  readonly by?: InBand['by']
  /** Of the gate: answers are written down there. */
  readonly approvals?: AnswerBook
}

export interface Settled {
  /** What still waits for people. Genkit goes on with all calls of a turn, or with none. */
  readonly waiting: readonly Waiting[]
  /** For `generate`, once nothing waits. */
  readonly resume: ResumeOptions
}

/**
 * What became of the calls that an interrupted turn waits for. When nothing waits any more, go on with
 * `ai.generate({ messages, resume, ...guarded })`. Interrupts of your own tools are yours to add.
 */
export async function settleTurn(
  { tools }: Pick<GuardedTools, 'tools'>,
  messages: readonly MessageData[],
  options: SettleOptions = {},
): Promise<Settled> {
  const { answers = [], by, approvals } = options
  const given = by && approvals ? { answers, by, approvals } : undefined
  const last = messages.at(-1) as Message | undefined
  const waiting: Waiting[] = []
  const restart: ToolRequestPart[] = []
  const respond: Part[] = []
  for (const part of last?.role === 'model' ? last.content : []) {
    const found = openCall(tools, part)
    if (!found) {
      const answer = falsyOutput(part)
      if (answer) respond.push(answer)
      continue
    }
    const now = await withAnswers(given, (wake) => settled(found, wake))
    if (now?.status === 'pending') {
      waiting.push({ ...found.waiting, name: found.tool.name, message: now.modelMessage })
    }
    restart.push(woken(found.part))
  }
  return { waiting, resume: { restart, respond } as unknown as ResumeOptions }
}

interface OpenCall {
  readonly tool: GuardedTool
  readonly part: ToolRequestPart
  readonly waiting: Waiting
}

/** A call of a guarded tool that was interrupted for people, as the messages tell it. */
function openCall(tools: readonly unknown[], part: Part): OpenCall | undefined {
  const { toolRequest } = part
  const waiting = waitingIn(part)
  if (!toolRequest || !waiting) return undefined
  for (const one of tools) {
    const tool = guardedBehind(one)
    if (tool?.name === toolRequest.name) return { tool, part: { ...part, toolRequest }, waiting }
  }
  return undefined
}

/** Undefined where it cannot be found out: the restarted call says what is wrong. */
async function settled(
  { tool, part, waiting }: OpenCall,
  wake: unknown,
): Promise<Stands | undefined> {
  const { input } = part.toolRequest
  if (input !== undefined && !isPlainObject(input)) return undefined
  const call = callOf(tool, input, waiting.key)
  try {
    const now = await stands(tool, call)
    if (now.status !== 'pending' || !(await answerWith(wake, waiting.callId, now))) return now
    return await stands(tool, call)
  } catch {
    return undefined
  }
}

/** As Genkit's `restartTool` has it. The wrapped tool looks for itself whether it may run. */
function woken({ toolRequest, metadata }: ToolRequestPart): ToolRequestPart {
  return { toolRequest, metadata: { ...metadata, resumed: { countersign: 'wake' } } }
}

/** Genkit takes a result that is empty, zero or false for one that is missing. */
function falsyOutput({ toolRequest, metadata }: Part): Part | undefined {
  if (!toolRequest || !metadata || !Object.hasOwn(metadata, 'pendingOutput')) return undefined
  const { pendingOutput: output } = metadata
  if (output) return undefined
  const { name, ref } = toolRequest
  return { toolResponse: { name, ...(ref === undefined ? {} : { ref }), output: output ?? null } }
}
