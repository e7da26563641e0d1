import type { Saboteur } from '../saboteur.ts'

const rules = { tests: ['src/approval/commands/talk.test.ts'] } as const
const served = { tests: ['test/server/talk.test.ts', 'test/gate/talk.test.ts'] } as const

const quiet = { tests: ['test/gate/quiet-hours.test.ts'] } as const

export const TALK_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'any agent replies',
    file: 'src/approval/commands/talk.ts',
    before: '? by.agent === approval.call.agent',
    after: '? by.agent !== undefined',
    caughtBy: rules,
  },
  {
    name: 'the gate of another agent finds the approval',
    file: 'src/gate/admin/talk.ts',
    before: 'approval.call.agent !== agent || ',
    after: '',
    caughtBy: { tests: ['test/gate/talk.test.ts'] },
  },
  {
    name: 'the token of another agent finds the approval',
    file: 'src/server/routes/talk.ts',
    before: 'const { id } = await knownApproval(store, params.id, caller)\n      if (caller',
    after: 'const { id } = params\n      if (caller',
    caughtBy: served,
  },
  {
    name: 'a reply gives more time',
    file: 'src/approval/commands/talk.ts',
    before: "return said(approval, 'reply', { ...person, text }, now, {",
    after:
      "return said(approval, 'reply', { ...person, text }, now, { changes: { decideBy: approval.decideBy + 1 },",
    caughtBy: rules,
  },
  {
    name: 'a reply approves',
    file: 'src/approval/commands/talk.ts',
    before: "return said(approval, 'reply', { ...person, text }, now, {",
    after:
      "return said(approval, 'reply', { ...person, text }, now, { changes: { status: 'approved', decidedAt: now, useBy: now + 1 },",
    caughtBy: rules,
  },
  {
    name: 'a locked approver asks',
    file: 'src/approval/commands/upkeep.ts',
    before: 'return !by.locked && (by.roles',
    after: 'return (by.roles',
    caughtBy: rules,
  },
  {
    name: 'texts are stored as they were typed',
    file: 'src/gate/content/remarks.ts',
    before: 'return cut(maskText(text, await hiddenIn(core, approval)))',
    after: 'return cut(text)',
    caughtBy: served,
  },
  {
    name: 'the secrets of the call are not masked in what is said about it',
    file: 'src/gate/content/remarks.ts',
    before: 'maskText(text, await hiddenIn(core, approval))',
    after: 'maskText(text)',
    caughtBy: served,
  },
  {
    name: 'a question is shared through channels that share names only',
    file: 'src/gate/notify/share.ts',
    before: "share === 'name' && said",
    after: "share === 'message' && said",
    caughtBy: { tests: ['test/gate/talk-notices.test.ts'] },
  },
  {
    name: 'readers are never forgotten',
    file: 'src/server/presence.ts',
    before: 'filter(([, { until }]) => until <= now())',
    after: 'filter(([, { until }]) => until < 0)',
    caughtBy: served,
  },
  {
    name: 'quiet hours swallow a question that ends in them',
    file: 'src/gate/notify/routing.ts',
    before: '].filter(({ due }) => due <= last)',
    after: ']',
    caughtBy: quiet,
  },
  {
    name: 'what was held is forgotten before it is sent',
    file: 'src/gate/notify/send-held.ts',
    before: "if (!now) return { state: 'over' }",
    after: "if (now || !now) return { state: 'over' }",
    caughtBy: quiet,
  },
  {
    name: 'a person is told in their quiet hours',
    file: 'src/gate/notify/route-people.ts',
    before: 'if (!later) {\n',
    after: 'if (later || !later) {\n',
    caughtBy: quiet,
  },
  {
    name: 'the next channel waits for one that does not reach the person',
    file: 'src/gate/notify/route-people.ts',
    before: 'if (reached.length === 0) return false',
    after: 'if (reached.length === 0) return true',
    caughtBy: quiet,
  },
  {
    name: 'the next channel waits for one that fails',
    file: 'src/gate/notify/addressed.ts',
    before: 'if (failures.length > 0) await parts.onFailure()',
    after: '',
    caughtBy: quiet,
  },
]
