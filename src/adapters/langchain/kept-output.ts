import { ToolMessage } from '@langchain/core/messages'
import { Command, isCommand, MemorySaver, Send } from '@langchain/langgraph'
import type { Json, JsonObject } from '../../base/json/json.ts'

/*
 * What a tool gives back is a message or a command: objects. The record keeps JSON. A text, or
 * blocks of content, are kept as they are; everything else as an object that says what it is, in
 * `langgraph`. What a tool gives never stands where that word is read: an object of its own that
 * has the word is kept inside of another one.
 */

/** Knows how to write down messages inside of commands. */
const { serde } = new MemorySaver()

export async function kept(output: unknown): Promise<unknown> {
  if (ToolMessage.isInstance(output)) return keptMessage(output)
  if (!isCommand(output)) return unmarked(output)
  const [, bytes] = await serde.dumpsTyped(output)
  return { langgraph: 'command', json: new TextDecoder().decode(bytes) }
}

function keptMessage({ content, status, artifact }: ToolMessage): unknown {
  const plain = asJson(content)
  const besides = artifact === undefined ? undefined : asJson(artifact)
  if (status !== 'error' && besides === undefined) return unmarked(plain)
  return {
    langgraph: 'message',
    content: plain ?? '',
    ...(status === undefined ? {} : { status }),
    ...(besides === undefined ? {} : { artifact: besides }),
  }
}

/** A value as it is, unless it could be taken for one of ours. */
function unmarked(value: unknown): unknown {
  const isMarked = typeof value === 'object' && value !== null && 'langgraph' in value
  return isMarked ? { langgraph: 'value', value } : value
}

/** Kept as the result of a call that was started and has paused inside, as sub-agents do. */
export interface Paused {
  readonly task: string
  /** How many of the task's interrupts came before the tool's own. */
  readonly after: number
  /** As a person changed them. */
  readonly args?: JsonObject
}

export function pausedMark(paused: Paused): object {
  return { langgraph: 'paused', ...paused }
}

export function pausedIn(stored: unknown): Paused | undefined {
  return isRecord(stored) && stored.langgraph === 'paused'
    ? (stored as unknown as Paused)
    : undefined
}

function asJson(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as Json
  } catch {
    return undefined
  }
}

/** The same again, for the call that it answers. */
export async function revived(stored: unknown, id: string, name: string): Promise<unknown> {
  const said = { tool_call_id: id, name }
  const { langgraph, json, ...fields } = isRecord(stored) ? stored : ({} as JsonObject)
  if (langgraph === 'command') {
    return command((await serde.loadsTyped('json', String(json))) as CommandFields)
  }
  if (langgraph === 'message') return new ToolMessage({ ...(fields as object), ...said } as never)
  const value = langgraph === 'value' ? fields.value : stored
  const isContent = typeof value === 'string' || Array.isArray(value)
  const content = isContent ? value : (JSON.stringify(value) ?? '')
  return new ToolMessage({ content, status: 'success', ...said } as never)
}

function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

interface CommandFields {
  readonly goto?: string | SentTo | readonly (string | SentTo)[]
  readonly update?: unknown
  readonly graph?: string
}

interface SentTo {
  readonly node: string
  readonly args: unknown
}

function command({ goto, update, graph }: CommandFields): Command {
  const to = (one: string | SentTo) =>
    typeof one === 'string' ? one : new Send(one.node, one.args)
  return new Command({
    ...(update === undefined ? {} : { update: update as never }),
    ...(graph === undefined ? {} : { graph }),
    ...(goto === undefined ? {} : { goto: [goto].flat().map((one) => to(one as SentTo)) as never }),
  })
}

/** A person changed the arguments, and the model must know: in front of what the tool said. */
export function noted(output: unknown, note: string | undefined): unknown {
  if (note === undefined) return output
  if (ToolMessage.isInstance(output)) return notedMessage(output, note)
  if (!isCommand(output)) return `${note}\n${asText(output)}`
  const { update } = output
  if (!isRecord(update) || !Array.isArray(update.messages)) return output
  const messages = update.messages.map((message: unknown) =>
    ToolMessage.isInstance(message) ? notedMessage(message, note) : message,
  )
  return new Command({ ...output, update: { ...(update as object), messages } } as never)
}

function notedMessage(message: ToolMessage, note: string): ToolMessage {
  const { content } = message
  const told =
    typeof content === 'string'
      ? `${note}\n${content}`.trimEnd()
      : [{ type: 'text' as const, text: note }, ...content]
  const { tool_call_id, name, status, artifact, id, additional_kwargs } = message
  const fields = { tool_call_id, name, status, artifact, id, additional_kwargs, content: told }
  return new ToolMessage(fields as never)
}

function asText(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '')
}
