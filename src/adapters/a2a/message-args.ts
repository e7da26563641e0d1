import type { Json, JsonObject } from '../../base/json/json.ts'
import type { A2aMessage, A2aPart } from './protocol.ts'

/** All of a message that an executor may act on, as arguments that people see. */
export function argsOf({ parts, metadata, extensions, referenceTaskIds }: A2aMessage): JsonObject {
  return {
    parts: parts.map(partOf),
    ...(isEmpty(metadata) ? {} : { metadata: plain(metadata) }),
    ...(extensions?.length ? { extensions: [...extensions] } : {}),
    ...(referenceTaskIds?.length ? { tasks: [...referenceTaskIds] } : {}),
  }
}

function partOf({ content, filename, mediaType, metadata }: A2aPart): JsonObject {
  return {
    ...contentOf(content),
    ...(filename ? { filename } : {}),
    ...(mediaType ? { mediaType } : {}),
    ...(isEmpty(metadata) ? {} : { metadata: plain(metadata) }),
  }
}

function contentOf(content: A2aPart['content']): JsonObject {
  switch (content?.$case) {
    case 'text':
      return { text: content.value }
    case 'url':
      return { url: content.value }
    case 'raw':
      return { base64: Buffer.from(content.value).toString('base64') }
    case 'data':
      return { data: plain(content.value) }
    default:
      return {}
  }
}

function isEmpty(value: object | undefined): boolean {
  return !value || Object.keys(value).length === 0
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json
}
