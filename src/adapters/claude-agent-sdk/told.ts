import { isPlainObject } from '../../base/json/json.ts'
import type { Outcome } from '../../gate/outcome.ts'

/** What the model reads in place of running a call. */
export function messageOf(outcome: Outcome, tool: string): string {
  if (outcome.status !== 'succeeded') return outcome.modelMessage
  const { modelMessage: message, result } = outcome
  // It ran before, under the same id: a hook can refuse a call, but not answer it otherwise.
  const said = message ?? `The call to ${tool} already ran and is not run again.`
  return result === undefined ? said : `${said} Its result: ${textOf(result)}`
}

/** What the model should know besides what the tool gave. */
export function toldOf(outcome: Outcome): string | undefined {
  if (outcome.status === 'succeeded') return outcome.modelMessage
  return outcome.status === 'unknown' ? outcome.modelMessage : undefined
}

/** A result as the model would have read it: the texts of an MCP tool as they are. */
function textOf(result: unknown): string {
  if (typeof result === 'string') return result
  const parts = Array.isArray(result) ? result : []
  const texts = parts.flatMap((part: unknown) =>
    isPlainObject(part) && typeof part.text === 'string' ? [part.text] : [],
  )
  const isText = texts.length > 0 && texts.length === parts.length
  return isText ? texts.join('\n') : JSON.stringify(result)
}
