import type { Saboteur } from './saboteur.ts'

const KILLS = ['--cycles', '60', '--seed', '7', '--store', 'sqlite', '--nemesis', 'kill'] as const

export const NOTIFICATION_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a value from a call ends its own quotation in a notice or a terminal',
    file: 'src/base/message-parts.ts',
    before: "return text.replaceAll('«', '<<').replaceAll('»', '>>')",
    after: 'return text',
    caughtBy: { tests: ['src/base/message-parts.test.ts'] },
  },
  {
    name: 'a question without known values is taken for the words of the policy',
    file: 'src/base/message-parts.ts',
    before: 'return [{ text: message, quoted: true }]',
    after: 'return [{ text: message, quoted: false }]',
    caughtBy: { tests: ['src/base/message-parts.test.ts'] },
  },
  {
    name: 'a notice counts as told before it is sent',
    file: 'src/gate/notify/deliver.ts',
    before: 'const end = await attempt(taken)\n    await store.outbox.settle(taken, end)',
    after:
      "await store.outbox.settle(taken, { end: 'done' })\n    const end = await attempt(taken)",
    caughtBy: {
      tests: ['test/gate/notifications-crash.test.ts', 'test/gate/notifications.test.ts'],
    },
  },
  {
    name: 'a question is asked after its end',
    file: 'src/gate/notify/notice.ts',
    before: 'if (isOver && (question || isStranded)) return undefined',
    after: 'if (isOver && isStranded) return undefined',
    caughtBy: {
      tests: ['test/gate/notifications-crash.test.ts', 'test/gate/notifications.test.ts'],
    },
  },
  {
    name: 'a sender that dies has told everybody',
    file: 'src/gate/notify/deliver.ts',
    before: 'const end = await attempt(taken)\n    await store.outbox.settle(taken, end)',
    after:
      "await store.outbox.settle(taken, { end: 'done' })\n    const end = await attempt(taken)",
    caughtBy: { faults: KILLS },
  },
  {
    name: 'what is over is asked again after a crash',
    file: 'src/gate/notify/notice.ts',
    before: 'if (isOver && (question || isStranded)) return undefined',
    after: 'if (isOver && isStranded) return undefined',
    caughtBy: { tests: ['test/gate/notifications.test.ts'] },
  },
  {
    name: 'two senders take the same notice',
    file: 'src/store/sqlite/outbox.ts',
    before: 'set due_at = ?, attempts = attempts + 1 where position = ?',
    after: 'set due_at = min(due_at, ?), attempts = attempts + 1 where position = ?',
    caughtBy: { tests: ['test/stores.test.ts'] },
  },
  {
    name: 'a webhook may reach the metadata service',
    file: 'src/base/net/ip-address.ts',
    before: "  '169.254.0.0/16',\n",
    after: '',
    caughtBy: { tests: ['src/base/net/egress.test.ts'] },
  },
  {
    name: 'what is observed is not recorded',
    file: 'src/gate/telemetry/observe.ts',
    before: 'if (LEVELS[verdict.verdict] <= LEVELS[enforced.verdict]) return',
    after: 'if (LEVELS[verdict.verdict] >= LEVELS[enforced.verdict]) return',
    caughtBy: { tests: ['test/gate/observe.test.ts'] },
  },
]
