import { expect } from 'vitest'
import type { Channel } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { HOST, running, type Sender } from '../server/harness.ts'

export const POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  pay:
    risk: L3
    secrets: [card]
    approval: { message_template: "Pay {{tool_args.amount}} to {{tool_args.to}}?", approvers: [fay@example.com], edit: [amount] }
  plain: { secrets: [card], approval: { approvers: [fay@example.com] } }
  strict: { approval: { approvers: [fay@example.com], min_assurance: signed-in } }
  both: { approval: { quorum: [{ group: finance, n: 2 }] } }
  joint: { approval: { message_template: "Pay {{tool_args.amount}}?", quorum: [{ group: finance, n: 2 }], edit: [amount] } }
  why: { approval: { approvers: [fay@example.com], reason: required_always } }
  slow: { approval: { approvers: [fay@example.com], remind_after: 1h, decide_by: 8h } }
  team: { approval: { approvers: [{ group: finance }] } }
  open: { approval: { approvers: ["*"] } }
`

/** A server with this channel, an agent that asks and a person who is asked: what every chat needs. */
export async function chatWorld(channel: Channel, store?: Store) {
  const own = running({
    policy: POLICY,
    publicUrl: new URL(`http://${HOST}/`),
    channels: [channel],
    ...(store ? { store } : {}),
  })
  const bot = await own.agent('biller')
  const fay = await own.person('fay@example.com')

  /** As the provider posts it. */
  async function receive(body: string, headers: Readonly<Record<string, string>>) {
    return own.server.app.request(`/v1/channels/${channel.name}`, {
      method: 'POST',
      headers: { host: HOST, ...headers },
      body,
    })
  }

  /** Makes a code, has it sent from an account, and confirms that account. */
  async function linked(as: Sender, send: (code: string) => Promise<unknown>): Promise<void> {
    const body = { channel: channel.name }
    const made = await own.send('/v1/channel-links/codes', { as, body })
    await send(made.at('code'))
    const list = (await own.send('/v1/channel-links', { as })).body as { waiting: { id: string }[] }
    const [claim] = list.waiting
    const confirmed = await own.send(`/v1/channel-links/${claim?.id}/confirm`, { as, body: {} })
    expect(confirmed.status).toBe(201)
  }

  async function ask(
    tool: string,
    args: object = { amount: 500, to: 'Lena', card: 'canary-4111' },
  ) {
    const body = { tool, run: 'r', key: crypto.randomUUID(), args }
    const answer = await own.send('/v1/calls', { as: bot, body })
    return { id: answer.at('id'), digest: answer.at('digest') }
  }

  const statusOf = async (id: string) => (await own.store.get(id))?.status

  return { ...own, channel, bot, fay, receive, linked, ask, statusOf }
}
