import type { UIMessage } from 'ai'
import type { PersonName } from '../approval/people/person.ts'

export type ChatMessage = UIMessage

/** One person's talk with a model. The server keeps it: pages only ever send what a person typed. */
export interface Conversation {
  readonly id: string
  readonly title: string
  /** The name of the model that answers. */
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

export interface ConversationSummary {
  readonly id: string
  readonly title: string
  /** When it last changed. */
  readonly at: number
}

/** Whose it is, in one word. Another person's word never finds it. */
export function ownerOf({ issuer, subject }: PersonName): string {
  return JSON.stringify([issuer ?? '', subject])
}

const TITLE = 60

/** What the first message says, on one line. */
export function titleOf(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= TITLE ? line : `${line.slice(0, TITLE - 1).trimEnd()}…`
}
