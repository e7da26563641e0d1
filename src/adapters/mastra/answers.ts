import type { Stands } from '../../gate/internals.ts'
import { answerWith } from '../waking.ts'
import { type AgentContext, isWaiting } from './pause.ts'

/** Writes down the answer to this call, if there is one. Says whether it may stand otherwise now. */
export async function answer(agent: AgentContext | undefined, now: Stands): Promise<boolean> {
  const { suspendPayload: shown, resumeData, toolCallId } = agent ?? {}
  if (!isWaiting(shown, toolCallId)) return false
  return answerWith(resumeData, shown.callId, now)
}
