import * as v from 'valibot'
import { about, type Infer, name, object, optional, text, whole } from '../schema.ts'

export const WireChatModel = object({
  id: v.string(),
  name: v.string(),
  provider: about(v.string(), '`rehearsal` answers from a script, without a network.'),
})
export type WireChatModel = Infer<typeof WireChatModel>

export const WireChatTool = object({
  name: about(v.string(), 'As the model calls it.'),
  server: optional(v.string()),
  description: optional(v.string()),
  verdict: about(
    v.string(),
    'What calls of it get: `allow`, `confirm`, `review` or `deny`; the strictest, where it depends on the arguments.',
  ),
})
export type WireChatTool = Infer<typeof WireChatTool>

export const WireConversation = object({
  id: v.string(),
  title: v.string(),
  at: about(whole(), 'When it last changed.'),
})
export type WireConversation = Infer<typeof WireConversation>

/** `GET /v1/chat`. */
export const ChatOverview = object({
  models: v.array(WireChatModel),
  problems: about(v.array(v.string()), 'Why models of a configured server are missing.'),
  conversations: about(v.array(WireConversation), 'Of the reader alone, the newest first.'),
})
export type ChatOverview = Infer<typeof ChatOverview>

/** `GET /v1/chat/tools`. */
export const ChatTools = object({
  tools: v.array(WireChatTool),
  problems: about(v.array(v.string()), 'Why tools of a server are missing.'),
})
export type ChatTools = Infer<typeof ChatTools>

/** `GET /v1/chat/conversations/:id`. */
export const ConversationView = object({
  id: v.string(),
  title: v.string(),
  model: v.string(),
  at: whole(),
  state: about(
    v.picklist(['idle', 'running', 'waiting']),
    '`waiting`: calls wait for other people; `POST …/continue` waits with them.',
  ),
  messages: about(v.array(v.unknown()), 'UI messages of the AI SDK, as the server keeps them.'),
})
export type ConversationView = Infer<typeof ConversationView>

export const NewConversation = object({ model: optional(name) })

const messageId = v.pipe(
  v.string('is not a text'),
  v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'is not the id of a message'),
)

/** `POST /v1/chat/conversations/:id/messages`: the text is all that a page can say. */
export const NewMessage = object({
  text: text({ min: 1, max: 32_000 }),
  id: optional(about(messageId, 'The name the page knows its message by.')),
  replaces: optional(
    about(messageId, 'A message of the person: it and all after it are replaced by this one.'),
  ),
  model: optional(name),
})
