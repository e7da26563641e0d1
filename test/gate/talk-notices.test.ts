import { expect, vi } from 'vitest'
import { digestText, mailText } from '../../src/channels/mail/mail-text.ts'
import { noticeBody, noticeTitle } from '../../src/channels/notice-words.ts'
import { talkMessage } from '../../src/channels/slack/slack-talk.ts'
import { teamsMessage } from '../../src/channels/teams.ts'
import type { Channel, Notice, Share } from '../../src/gate/notify/channel.ts'
import type { Addressee, People } from '../../src/gate/people.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { ana, bo, person, setUp } from './gates.ts'

const uma = person('uma', { roles: ['viewer'] })
const people: People = {
  directory: () => ({ groups: {}, approvers: 'open' }),
  lookup: (one) => one,
  reachable: (to) =>
    [ana, bo, uma].filter(({ email }) =>
      to.some((one) => one !== '*' && 'email' in one && one.email === email),
    ) as Addressee[],
}
const POLICY = policyOf(`
  tools:
    pay: { approval: { approvers: [ana@example.com, bo@example.com], message_template: "Pay?" } }
`)

function channelOf(name: string, share: Share, more: Partial<Channel> = {}) {
  const told: { readonly to: string; readonly notice: Notice }[] = []
  const channel: Channel = {
    name,
    share,
    ...more,
    addresses: async (_, all) => all.flatMap(({ email }) => email ?? []),
    async send(notice, _, delivery) {
      told.push({ to: delivery?.address ?? '', notice })
      return { ref: `${name}-${delivery?.address}` }
    },
  }
  const of = (kind: string) =>
    told.filter(({ notice }) => notice.kind === kind).map(({ to }) => to.split('@')[0] ?? '')
  return { channel, told, of }
}

promise(
  ['CS-TALK-8'],
  'each hears of what concerns them, and the words stay where messages are not shared',
  async () => {
    const names = channelOf('names', 'name')
    const words = channelOf('words', 'message', { followsUp: true })
    const { gate } = await setUp('memory', {
      policy: POLICY,
      people,
      principal: { subject: 'uma', email: 'uma@example.com' },
      channels: [names.channel, words.channel],
    })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    const { id } = asked.approval
    await vi.waitFor(() => expect(words.of('asked')).toHaveLength(2))
    await gate.approvals.question(id, { by: ana, text: 'What for?' })
    await gate.answer(id, 'the canary rent')
    await gate.approvals.comment(id, { by: bo, text: 'a canary comment' })
    await gate.approvals.assign(id, { by: ana, to: bo })
    await vi.waitFor(() => {
      for (const one of [names, words]) {
        expect(one.of('questioned')).toEqual(['uma'])
        expect(one.of('replied').sort()).toEqual(['ana', 'bo'])
        expect(one.of('assigned')).toEqual(['bo'])
      }
    })
    // A comment only follows up: where nothing can be followed up it would be one more message.
    expect(names.of('commented')).toEqual([])
    await vi.waitFor(() => expect(words.of('commented').sort()).toEqual(['ana', 'bo', 'uma']))
    expect(JSON.stringify(names.told)).not.toContain('canary')
    expect(JSON.stringify(words.told)).toContain('the canary rent')
    const reply = words.told.find(({ notice }) => notice.kind === 'replied')?.notice
    expect(reply?.said).toEqual({ by: 'agent', text: 'the canary rent' })
    if (!reply) return
    const slack = JSON.stringify(talkMessage(reply))
    expect(slack).toContain('Said by biller, not checked:')
    expect(slack).not.toContain('cs_open')
    expect(mailText(reply).text).toContain('“the canary rent”')
    await gate.approvals.decide(id, { by: ana, verdict: 'deny', seen: asked.approval.digest })
    await vi.waitFor(() => expect(names.of('denied')).toContain('uma'))
  },
)

promise(
  ['CS-TALK-8'],
  'two comments of the same moment are told with the words of each',
  async () => {
    const words = channelOf('words', 'message', { followsUp: true })
    // Its clock stands still.
    const { gate } = await setUp('memory', { policy: POLICY, people, channels: [words.channel] })
    const asked = await gate.check({ tool: 'pay', args: {} })
    if (asked.status !== 'pending') throw new Error('not asked')
    const { id } = asked.approval
    await gate.approvals.comment(id, { by: ana, text: 'first' })
    await gate.approvals.comment(id, { by: bo, text: 'second' })
    await vi.waitFor(() => expect(words.of('commented')).toHaveLength(4))
    const said = words.told.flatMap(({ to, notice }) =>
      to === 'ana@example.com' && notice.said ? [notice.said.text] : [],
    )
    expect(said).toEqual(['first', 'second'])
  },
)

const REPLY: Notice = {
  ...{ id: 'a1-3-replied', kind: 'replied', question: true, at: 0, to: [] },
  approval: {
    ...{ id: 'a1', revision: 3, status: 'pending', level: 'review', kind: 'tool' },
    ...{ tool: 'pay', agent: 'biller', message: 'May biller run pay?', askedAt: 0, decideBy: 1 },
  },
  said: { by: 'agent', text: 'ok” Approved by Ana. “' },
}

promise(['CS-TALK-2', 'CS-TALK-8'], 'words of an agent do not leave their quotation', () => {
  const told = 'Said by the agent, not checked: “ok" Approved by Ana. "”'
  expect(mailText(REPLY).text).toContain(`${told}\n`)
  expect(noticeBody(REPLY, { now: 0 })).toContain(`${told}\n`)
})

promise(
  ['CS-TALK-8'],
  'a mail tells the person behind the agent of a question, and asks for no decision',
  () => {
    const questioned: Notice = { ...REPLY, kind: 'questioned', said: { by: 'person' } }
    expect(mailText(questioned, false).subject).toBe(
      'pay: an approver asks something before deciding',
    )
    expect(digestText([questioned, REPLY]).subject).toBe('1 call waits for your decision')
  },
)

promise(['CS-TALK-8'], 'a room of Teams reads to whom a call is assigned', () => {
  const to = [{ email: 'bo@example.com' }]
  const assigned: Notice = { ...REPLY, kind: 'assigned', to }
  expect(JSON.stringify(teamsMessage(assigned))).toContain('pay: assigned to bo@example.com')
  expect(noticeTitle(assigned)).toBe('pay: assigned to you')
})
