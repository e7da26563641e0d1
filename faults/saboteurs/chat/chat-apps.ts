import type { Saboteur } from '../saboteur.ts'

const FORGED = { tests: ['test/channels/telegram-forged.test.ts'] } as const
const TELEGRAM = { tests: ['test/channels/telegram.test.ts'] } as const
const ORDER = { tests: ['test/gate/addressed-order.test.ts'] } as const

/** Chat apps, and what all channels with addresses share. */
export const CHAT_APP_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a text of an agent is Markdown in Teams',
    file: 'src/channels/teams.ts',
    before: "{ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] }",
    after: "{ type: 'TextBlock', text, ...style }",
    caughtBy: { tests: ['src/channels/teams.test.ts'] },
  },
  {
    name: 'any secret opens the webhook of Telegram',
    file: 'src/channels/telegram/telegram.ts',
    before: 'if (!secrets.some((secret) => isSame(secret, given))) {',
    after: "if (given === '') {",
    caughtBy: FORGED,
  },
  {
    name: 'a changed client of Telegram sends a button that is not there',
    file: 'src/channels/telegram/telegram-buttons.ts',
    before: '=== bot && hasButton(message, data)',
    after: '=== bot',
    caughtBy: FORGED,
  },
  {
    name: 'a card of Telegram is answered by another account, or from another message',
    file: 'src/channels/telegram/telegram-buttons.ts',
    before: 'const isIts = kept?.account === account.id && kept.message === place.id',
    after: 'const isIts = kept !== undefined',
    caughtBy: FORGED,
  },
  {
    name: 'a group of Telegram decides',
    file: 'src/channels/telegram/telegram-sender.ts',
    before: "textAt(message, 'chat', 'type') === 'private' && chat === id",
    after: "chat !== ''",
    caughtBy: {
      tests: ['test/channels/telegram-forged.test.ts', 'test/channels/telegram.test.ts'],
    },
  },
  {
    name: 'what does not fit whole is decided in Telegram',
    file: 'src/channels/telegram/telegram-messages.ts',
    before: 'if (shown.text.length > LONGEST_MESSAGE - ROOM_FOR_LINK || !isWhole) return undefined',
    after: '',
    caughtBy: TELEGRAM,
  },
  {
    name: 'a text of an agent becomes a link in Telegram',
    file: 'src/channels/telegram/telegram-text.ts',
    before: "if (type !== '' && words !== '') {",
    after: "if (type === 'bold' && words !== '') {",
    caughtBy: TELEGRAM,
  },
  {
    name: 'a rule that wants a reason is decided in Telegram without one',
    file: 'src/channels/chat/reason.ts',
    before: "return rule === 'required_always' || (rule === 'required' && verdict === 'deny')",
    after: 'return rule === undefined && verdict === undefined',
    caughtBy: TELEGRAM,
  },
  {
    name: 'a message that failed at one address holds up the end at all others',
    file: 'src/gate/notify/deliver.ts',
    before: 'const patience = isAddressed(channel) ? { patience: PATIENCE_MS } : {}',
    after: 'const patience = {}',
    caughtBy: ORDER,
  },
  {
    name: 'the end of a call overtakes its question at one address',
    file: 'src/gate/notify/addressed.ts',
    before:
      "if (isBusy) return new NotDelivered('another message is under way', { retryAfter: BUSY_MS })",
    after: '',
    caughtBy: ORDER,
  },
  {
    name: 'a question that was sent too late stays although the call was decided',
    file: 'src/gate/notify/addressed.ts',
    before: 'before = found && posted !== undefined ? { ref: posted, ...found } : found',
    after: 'before = found',
    caughtBy: ORDER,
  },
  {
    name: 'a vote below the quorum changes no message',
    file: 'src/approval/transition.ts',
    before: "facts?.voided ? 'changed' : 'voted'",
    after: "facts?.voided ? 'changed' : undefined",
    caughtBy: ORDER,
  },
]
