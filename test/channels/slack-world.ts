import { expect, onTestFinished, vi } from 'vitest'
import { slack } from '../../src/channels/slack/slack.ts'
import type { Share } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { chatWorld } from './chat-world.ts'
import {
  type FakeUser,
  fakeSlack,
  formOf,
  SIGNING_SECRET,
  signedBySlack,
  TEAM,
  TOKENS,
} from './fake-slack.ts'

export const MEMBERS: readonly FakeUser[] = [
  { id: 'U0FAY', team_id: TEAM, name: 'fay', real_name: 'Fay', email: 'fay@example.com' },
  { id: 'U0FINN', team_id: TEAM, name: 'finn', real_name: 'Finn', email: 'finn@example.com' },
  { id: 'U0EVE', team_id: TEAM, name: 'eve', real_name: 'Eve', email: 'eve@example.com' },
]

export interface WorldOptions {
  readonly share?: Share
  readonly socket?: boolean
  readonly store?: Store
  readonly channels?: Readonly<Record<string, string>>
}

/** A server with Slack, in which Fay has linked her account. */
export async function slackWorld(options: WorldOptions = {}) {
  const { share = 'arguments', socket = false, store, channels = {} } = options
  const fake = await fakeSlack(MEMBERS)
  onTestFinished(() => fake.close())
  const channel = slack({
    botToken: TOKENS.bot,
    ...(socket ? { appToken: TOKENS.app } : {}),
    signingSecrets: SIGNING_SECRET,
    ...{ share, channels, apiUrl: fake.apiUrl },
  })
  const own = await chatWorld(channel, store)
  const { fay } = own

  /** As Slack posts it. */
  async function post(body: string, headers: Record<string, string> = signedBySlack(body)) {
    const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded'
    const response = await own.receive(body, { 'content-type': type, ...headers })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  async function message(text: string, user = 'U0FAY') {
    const event = { type: 'message', channel_type: 'im', user, channel: `D${user.slice(1)}`, text }
    const id = crypto.randomUUID()
    return post(JSON.stringify({ type: 'event_callback', event_id: id, team_id: TEAM, event }))
  }

  const link = (as = fay, user = 'U0FAY') =>
    own.linked(as, async (code) => {
      const before = fake.messages.length
      await message(code, user)
      await vi.waitFor(() => expect(fake.messages.length).toBeGreaterThan(before), 5_000)
    })

  /** The message that asks about it, once it is there. */
  const asking = (id: string) =>
    vi.waitFor(() => {
      const found = fake.messages.find(({ blocks }) => JSON.stringify(blocks).includes(`cs:${id}`))
      if (!found) throw new Error('not asked yet')
      return found
    }, 5_000)

  function click(id: string, user = 'U0FAY', more: object = {}) {
    return {
      type: 'block_actions',
      team: { id: TEAM },
      user: { id: user, team_id: TEAM },
      trigger_id: fake.trigger(),
      actions: [{ action_id: 'cs_open', value: id }],
      ...more,
    }
  }

  /** Opens the modal as this person would, and gives what Slack would send when it is submitted. */
  async function open(id: string, user = 'U0FAY') {
    const before = fake.views.length
    await post(formOf(click(id, user)))
    const { view } = fake.views[before] ?? {}
    if (!view) throw new Error('no view was opened')
    return view
  }

  function submission(
    view: { readonly callback_id: string; readonly private_metadata?: string },
    verdict: string,
    { user = 'U0FAY', reason = '' } = {},
  ) {
    const values = {
      verdict: { verdict: { type: 'radio_buttons', selected_option: { value: verdict } } },
      reason: { reason: { type: 'plain_text_input', value: reason || null } },
    }
    return {
      type: 'view_submission',
      team: { id: TEAM },
      user: { id: user, team_id: TEAM },
      view: { ...view, state: { values } },
    }
  }

  return { ...own, fake, post, message, link, asking, click, open, submission }
}
