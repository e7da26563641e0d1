/** Conversations with a model: the list, one of them, and everything that is said in it. */
import { queryOptions, useQuery } from '@tanstack/react-query'
import type { UIMessage, UIMessageChunk } from 'ai'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ConversationView } from '../../../src/api/chat/conversation.ts'
import { call, open } from './client.ts'
import { ModelError } from './errors.ts'
import { useWrite } from './query-client.ts'

export const chatKeys = {
  overview: ['chat'],
  tools: ['chat-tools'],
  conversation: (id: string) => ['conversation', id],
} as const

export const chatQuery = queryOptions({
  queryKey: chatKeys.overview,
  queryFn: () => call('GET /v1/chat'),
})

/** Connects to the servers of the policy, so it is not asked again all the time. */
export const chatToolsQuery = queryOptions({
  queryKey: chatKeys.tools,
  queryFn: () => call('GET /v1/chat/tools'),
  refetchOnWindowFocus: false,
})

export interface LoadedConversation extends Omit<ConversationView, 'messages'> {
  readonly messages: UIMessage[]
}

/** As the server has it, with everything settled that a lost page left open. */
export async function readConversation(id: string): Promise<LoadedConversation> {
  const { messages, ...rest } = await call('GET /v1/chat/conversations/:id', { params: { id } })
  return { ...rest, messages: messages as UIMessage[] }
}

/** Read once when it is opened: from then on the stream tells. */
const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: chatKeys.conversation(id),
    queryFn: () => readConversation(id),
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export const useConversation = (id: string, enabled: boolean) =>
  useQuery({
    ...conversationQuery(id),
    enabled,
    // Another page of this person answers in it, or the page before this one is being let go.
    refetchInterval: ({ state: { data } }) => (data?.state === 'running' ? 1_000 : false),
  })

export const useNewConversation = () =>
  useWrite(
    (model: string | undefined) =>
      call('POST /v1/chat/conversations', { body: model === undefined ? {} : { model } }),
    () => [chatKeys.overview],
  )

export const useRemoveConversation = () =>
  useWrite(
    (id: string) => call('DELETE /v1/chat/conversations/:id', { params: { id } }),
    () => [chatKeys.overview],
  )

export const stopAnswer = (id: string) =>
  call('POST /v1/chat/conversations/:id/stop', { params: { id }, timeout: false })

export interface SentMessage {
  readonly text: string
  readonly id: string
  readonly replaces?: string
  readonly model?: string
}

/** An answer stays open as long as its calls wait. Ending it withdraws them. */
const WAITS_FOR_PEOPLE = false as const

export async function sendMessage(
  id: string,
  body: SentMessage,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<UIMessageChunk>> {
  const sent = { params: { id }, body, signal, timeout: WAITS_FOR_PEOPLE }
  return chunksOf(await open('POST /v1/chat/conversations/:id/messages', sent))
}

export async function goOn(
  id: string,
  signal: AbortSignal | undefined,
): Promise<ReadableStream<UIMessageChunk>> {
  const sent = { params: { id }, signal, timeout: WAITS_FOR_PEOPLE }
  return chunksOf(await open('POST /v1/chat/conversations/:id/continue', sent))
}

function chunksOf({ body }: Response): ReadableStream<UIMessageChunk> {
  if (body === null) return new ReadableStream({ start: (controller) => controller.close() })
  return body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array<ArrayBuffer>>)
    .pipeThrough(new EventSourceParserStream())
    .pipeThrough(chunkReader())
}

/** What went wrong ends the stream, after everything else that the server still says. */
function chunkReader(): TransformStream<{ data: string }, UIMessageChunk> {
  let failure: ModelError | undefined
  return new TransformStream({
    transform({ data }, controller) {
      if (data === '[DONE]') return
      const chunk = JSON.parse(data) as UIMessageChunk
      if (chunk.type === 'error') failure = new ModelError(chunk.errorText)
      else controller.enqueue(chunk)
    },
    flush(controller) {
      if (failure) controller.error(failure)
    },
  })
}
