import {
  ChatOverview,
  ChatTools,
  ConversationView,
  NewConversation,
  NewMessage,
} from '../chat/conversation.ts'
import { ModelServerBody, ModelServers } from '../chat/model-servers.ts'
import { type Contracts, EMPTY, raw } from '../contract.ts'

export const CHATTERS = ['approver', 'admin'] as const
const base = { tag: 'Chat', who: CHATTERS } as const
const admins = { tag: 'Chat', who: ['admin'] } as const
const stream = {
  answer: 'A stream of UI message chunks of the AI SDK.',
  responses: { 200: raw('text/event-stream') },
  errors: ['conversation_busy', 'peer_missing', 'too_many_requests'],
} as const

/** The chat: conversations of the person who is signed in, and of no other. */
export const chatContracts = {
  'GET /v1/chat': {
    ...base,
    summary: 'Models to talk to, and your conversations.',
    answer: 'Models and conversations.',
    responses: { 200: ChatOverview },
  },
  'GET /v1/chat/tools': {
    ...base,
    summary: 'The tools that a model in the chat may call, and what each call gets.',
    answer: 'A list of tools.',
    responses: { 200: ChatTools },
    errors: ['peer_missing'],
  },
  'GET /v1/chat/model-servers': {
    ...admins,
    summary: 'The servers of models that admins entered, without their keys.',
    answer: 'A list of servers, by name.',
    responses: { 200: ModelServers },
    errors: ['peer_missing'],
  },
  'PUT /v1/chat/model-servers/:name': {
    ...admins,
    summary: 'Add or change a server of models. Its key is sealed and never shown again.',
    body: ModelServerBody,
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['invalid_value', 'usage', 'peer_missing'],
  },
  'DELETE /v1/chat/model-servers/:name': {
    ...admins,
    summary: 'Remove a server of models, and its key.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
    errors: ['peer_missing'],
  },
  'POST /v1/chat/conversations': {
    ...base,
    summary: 'Begin a conversation.',
    body: NewConversation,
    answer: 'The conversation.',
    responses: { 201: ConversationView },
  },
  'GET /v1/chat/conversations/:id': {
    ...base,
    summary: 'One conversation, with everything said and called in it.',
    answer: 'The conversation.',
    responses: { 200: ConversationView },
    errors: ['peer_missing'],
  },
  'DELETE /v1/chat/conversations/:id': {
    ...base,
    summary: 'Remove a conversation. What was approved in it stays on record.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
  'POST /v1/chat/conversations/:id/messages': {
    ...base,
    summary:
      'Say something. The server keeps the history: nothing else a page sends is part of it.',
    body: NewMessage,
    ...stream,
  },
  'POST /v1/chat/conversations/:id/continue': {
    ...base,
    summary: 'Wait with a conversation whose calls wait for people, and go on when they answered.',
    ...stream,
  },
  'POST /v1/chat/conversations/:id/stop': {
    ...base,
    summary: 'Stop the answer. Confirmations that are open are withdrawn.',
    answer: 'Nothing.',
    responses: { 204: EMPTY },
  },
} as const satisfies Contracts
