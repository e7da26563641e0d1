import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { TASKS_EXTENSION } from '../protocol/envelope.ts'
import { objectIn } from '../protocol/message.ts'

export const ALL_CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/**
 * Tasks of a server are calls under another name and would go round the gate, so they are not
 * offered; nor may a server answer us with one.
 */
export function singleCapabilities(capabilities: JsonObject): JsonObject {
  return { ...withoutTasks(capabilities), tools: { listChanged: true } }
}

export function upstreamCapabilities(capabilities: JsonObject): JsonObject {
  return withoutTasks(capabilities)
}

/** Our own tasks, for calls that wait for a person. */
export function withTasks(capabilities: JsonObject): JsonObject {
  const extensions = { ...objectIn(capabilities, 'extensions'), [TASKS_EXTENSION]: {} }
  return { ...capabilities, extensions }
}

function withoutTasks({ tasks: _, extensions, ...capabilities }: JsonObject): JsonObject {
  if (!isPlainObject(extensions)) return capabilities
  const { [TASKS_EXTENSION]: __, ...others } = extensions as JsonObject
  return Object.keys(others).length === 0 ? capabilities : { ...capabilities, extensions: others }
}
