import { isTalk } from '../../approval/transition.ts'
import type { Delivery, Notice, SentMessage } from '../../gate/notify/channel.ts'

/** A chat whose messages can be changed, and answered in a thread. `Message`: as it takes them. */
export interface ThreadedChat<Message> {
  /** Where a message is; undefined where the text names none. */
  placeOf(ref: string): Place | undefined
  /** The channel in which an address is written to. */
  conversation(address: string): Promise<string>
  /** The message about this approval that was posted before a crash. */
  find(channel: string, approval: string): Promise<string | undefined>
  post(channel: string, message: Message): Promise<SentMessage>
  /** Answers a message once, also where it is told to a second time. */
  reply(channel: string, id: string, message: Message): Promise<void>
  change(channel: string, id: string, message: Message): Promise<void>
  /** The first message of a conversation, and what takes its place. */
  messageOf(notice: Notice): Message
  talkMessage(notice: Notice): Message
  reminderMessage(notice: Notice): Message
  /** That no person can decide it any more, below the question. */
  settledReply(notice: Notice): Message
}

export interface Place {
  readonly channel: string
  readonly id: string
}

/** One message per conversation and approval: posted once, then changed. */
export async function deliverThreaded<Message>(
  chat: ThreadedChat<Message>,
  notice: Notice,
  { address, previous, repeated, settles }: Delivery,
): Promise<SentMessage | undefined> {
  const { approval, kind } = notice
  const message = chat.messageOf(notice)
  const place = previous ? chat.placeOf(previous.ref) : undefined
  const channel = place?.channel ?? (await chat.conversation(address))
  const id = place?.id ?? (repeated ? await chat.find(channel, approval.id) : undefined)
  if (id === undefined) {
    // A comment follows a message that is there; alone it would be noise.
    return settles || kind === 'commented' ? undefined : await chat.post(channel, message)
  }
  if (isTalk(kind)) await chat.reply(channel, id, chat.talkMessage(notice))
  else if (kind === 'reminded') await chat.reply(channel, id, chat.reminderMessage(notice))
  // The question is still open, and who was asked it can still answer.
  else if (kind === 'unreachable' && place) {
    await chat.reply(channel, id, chat.settledReply(notice))
  } else await chat.change(channel, id, message)
  return { ref: `${channel}/${id}` }
}
