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
  {
    name: 'the default question, with every argument, leaves by a channel',
    file: 'src/gate/notify/share.ts',
    before: "if (share !== 'name' && approval.authored) return notice",
    after: "if (share !== 'name') return notice",
    caughtBy: { tests: ['test/gate/addressed.test.ts'] },
  },
  {
    name: 'a channel shares messages unless it is told not to',
    file: 'src/gate/notify/share.ts',
    before: "share: Share = 'name'",
    after: "share: Share = 'message'",
    caughtBy: { tests: ['test/gate/addressed.test.ts'] },
  },
  {
    name: 'after a crash a message is posted again',
    file: 'src/gate/notify/addressed.ts',
    before: "const repeated = before?.state === 'sending' &&",
    after: "const repeated = before?.state === 'gone' &&",
    caughtBy: { tests: ['test/gate/addressed.test.ts'] },
  },
  {
    name: 'what one person cannot be told is told to others again',
    file: 'src/gate/notify/addressed.ts',
    before: "(one.state === 'sent' && one.notice === id)",
    after: "(one.state === 'sent' && one.notice !== id)",
    caughtBy: { tests: ['test/gate/addressed.test.ts'] },
  },
  {
    name: 'an account of a chat answers before its person confirmed it',
    file: 'src/server/channels/links.ts',
    before: "const found = link === '' ? undefined : await records.get(LINK_RECORD, link)",
    after:
      "const found = await records.get(CLAIM, (await records.list(CLAIM)).records[0]?.id ?? 'none')",
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'a person confirms an account that sent the code of another person',
    file: 'src/server/channels/links.ts',
    before: 'const found = mine ? await records.get(CLAIM, claim) : undefined',
    after: 'const found = await records.get(CLAIM, claim)',
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'a link code works in every channel',
    file: 'src/server/channels/links.ts',
    before: "return hashSecret('link-code', JSON.stringify([channel, letters]))",
    after: "return hashSecret('link-code', JSON.stringify([letters]))",
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'an account of a chat answers for two people',
    file: 'src/server/channels/links.ts',
    before: 'if (known && (known.value as { link?: string }).link !== claim) throw taken()',
    after: '',
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'a lock leaves the linked accounts of its person',
    file: 'src/gate/admin/locks.ts',
    before: '...(isPerson ? await endedLinks(store, lock) : []),',
    after: '',
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'an answer from a chat counts as one of a signed-in person',
    file: 'src/server/channels/channel-host.ts',
    before: "accounts.person(account, 'chat')",
    after: "accounts.person(account, 'signed-in')",
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'what a browser makes of an old session links an account',
    file: 'src/server/identity/fresh-session.ts',
    before: 'if ((await now()) - session.startedAt <= FRESH_MS) return',
    after: 'if (session.startedAt <= FRESH_MS * (await now())) return',
    caughtBy: { tests: ['test/server/channel-links.test.ts'] },
  },
  {
    name: 'a signature of Slack is not compared',
    file: 'src/channels/slack/slack-signature.ts',
    before: 'return wanted.length === given.length && timingSafeEqual(wanted, given)',
    after: 'return wanted.length === given.length',
    caughtBy: { tests: ['test/channels/slack-forged.test.ts'] },
  },
  {
    name: 'an old request of Slack counts',
    file: 'src/channels/slack/slack-signature.ts',
    before: 'Math.abs(now / 1_000 - Number(at)) > MOST_SECONDS',
    after: 'Math.abs(now / 1_000 - Number(at)) > MOST_SECONDS * 1_000_000',
    caughtBy: { tests: ['test/channels/slack-forged.test.ts'] },
  },
  {
    name: 'an account of another workspace answers in Slack',
    file: 'src/channels/slack/slack-interaction.ts',
    before: "if (textAt(payload, 'team', 'id') !== team || theirs !== team) throw stranger()",
    after: '',
    caughtBy: { tests: ['test/channels/slack-forged.test.ts'] },
  },
  {
    name: 'a guest or a deleted user answers in Slack',
    file: 'src/channels/slack/slack-workspace.ts',
    before:
      'if (REFUSED.some((name) => facts[name] !== undefined && facts[name] !== false)) return undefined',
    after: '',
    caughtBy: { tests: ['test/channels/slack-forged.test.ts'] },
  },
  {
    name: 'an answer in Slack is about the call as it is now, whatever was shown',
    file: 'src/server/channels/channel-host.ts',
    before: 'return gate.approvals.decide(approval, { by, verdict, seen, ...words })',
    after:
      'return gate.approvals.decide(approval, { by, verdict, seen: (await store.get(approval))?.digest ?? seen, ...words })',
    caughtBy: {
      tests: ['test/channels/slack-forged.test.ts', 'test/server/channel-links.test.ts'],
    },
  },
  {
    name: 'a view of another account is submitted as one’s own',
    file: 'src/channels/slack/slack-interaction.ts',
    before: 'name?.user !== account.id',
    after: 'name === undefined',
    caughtBy: { tests: ['test/channels/slack-forged.test.ts'] },
  },
  {
    name: 'what does not fit whole is decided in Slack',
    file: 'src/channels/slack/slack-modal.ts',
    before: 'pieces.length > MOST_PIECES',
    after: 'pieces.length > MOST_PIECES + 20',
    caughtBy: { tests: ['test/channels/slack.test.ts'] },
  },
]
