import type { JsonObject } from '../../base/json/json.ts'

export const ALL_CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

/** Tasks are calls under another name and would go round the gate, so they are not offered. */
export function singleCapabilities({ tasks: _, ...capabilities }: JsonObject): JsonObject {
  return { ...capabilities, tools: { listChanged: true } }
}

export function upstreamCapabilities({ tasks: _, ...capabilities }: JsonObject): JsonObject {
  return capabilities
}
