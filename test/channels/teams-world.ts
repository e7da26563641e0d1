import { expect, onTestFinished, vi } from 'vitest'
import { teamsBot } from '../../src/channels/teams/teams-bot.ts'
import type { Share } from '../../src/gate/notify/channel.ts'
import type { Store } from '../../src/store/store.ts'
import { chatWorld } from './chat-world.ts'
import {
  APP_ID,
  actionsOf,
  cardProblem,
  type FakeMessage,
  type FakeTeams,
  type Fields,
  fakeTeams,
  PASSWORD,
  TENANT,
  textOf,
} from './fake-teams.ts'

export const FAY = '0a1b2c3d-1111-4000-8000-000000000001'
export const FINN = '0a1b2c3d-1111-4000-8000-000000000002'
export const EVE = '0a1b2c3d-1111-4000-8000-000000000003'

export const placeOf = (account: string) => `a:1conversation-${account.slice(-4)}`
export const userOf = (account: string) => `29:1user-${account.slice(-4)}`

export const memberOf = (account: string, more: object = {}) => ({
  ...{ id: userOf(account), aadObjectId: account, tenantId: TENANT, userRole: 'user' },
  ...{ name: 'Fay', userPrincipalName: 'fay@example.com' },
  ...more,
})

/** What the connector posts, of a personal chat with the bot. */
export const activity = (fake: FakeTeams, account: string, more: object = {}) => ({
  ...{ id: crypto.randomUUID(), channelId: 'msteams', serviceUrl: fake.serviceUrl },
  from: { id: userOf(account), aadObjectId: account, name: 'Fay' },
  recipient: { id: `28:${APP_ID}`, name: 'Countersign' },
  conversation: { id: placeOf(account), conversationType: 'personal', tenantId: TENANT },
  channelData: { tenant: { id: TENANT } },
  ...more,
})

export const typed = (fake: FakeTeams, account: string, text: string, more: object = {}) =>
  activity(fake, account, { type: 'message', text, ...more })

export const execute = (
  fake: FakeTeams,
  account: string,
  { verb, data }: { readonly verb: string; readonly data: unknown },
  more: object = {},
) =>
  activity(fake, account, {
    ...{ type: 'invoke', name: 'adaptiveCard/action' },
    value: { action: { type: 'Action.Execute', verb, data }, trigger: 'manual' },
    ...more,
  })

export const actionOf = (card: Fields, title: string) => {
  const found = actionsOf(card).find((one) => one.title === title)
  return { verb: found?.verb ?? '', data: found?.data ?? {} }
}

export const titlesOf = (card: Fields) => actionsOf(card).map(({ title }) => title)

export interface TeamsWorldOptions {
  readonly share?: Share
  readonly store?: Store
}

export const botOptions = (fake: Pick<FakeTeams, 'url' | 'host'>) => ({
  ...{ appId: APP_ID, appPassword: PASSWORD, tenant: TENANT },
  ...{ keysUrl: `${fake.url}/keys`, loginUrl: fake.url, serviceHosts: [fake.host] },
})

/** A server with the bot of Teams. */
export async function teamsWorld({ share = 'arguments', store }: TeamsWorldOptions = {}) {
  const fake = await fakeTeams()
  onTestFinished(() => fake.close())
  for (const account of [FAY, FINN, EVE]) fake.members.set(userOf(account), memberOf(account))
  const own = await chatWorld(teamsBot({ ...botOptions(fake), share }), store)
  const { fay } = own

  async function post(payload: unknown, headers?: Record<string, string>) {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
    const response = await own.receive(body, {
      'content-type': 'application/json',
      ...(headers ?? { authorization: `Bearer ${await fake.token()}` }),
    })
    const answer = (await response.json()) as Fields
    const card = (answer.value ?? {}) as Fields
    if (answer.value !== undefined) expect(cardProblem(card)).toBeUndefined()
    return { status: response.status, card, text: textOf(card) }
  }

  const link = (as = fay, account = FAY) =>
    own.linked(as, async (code) => {
      const before = fake.messages.length
      await post(typed(fake, account, code))
      expect(fake.messages[before]?.text).toMatch(/^The code is right/)
    })

  /** The message about it in the chat with this person, once it is there. */
  const asking = (id: string, account = FAY) =>
    vi.waitFor(() => {
      const found = fake.messages.find(
        ({ conversation, card }) =>
          conversation === placeOf(account) && JSON.stringify(card).includes(id),
      )
      if (!found) throw new Error('not asked yet')
      return found
    }, 5_000)

  /** Presses the button with these words, and gives what the person is shown. */
  async function click(
    { card }: { readonly card: Fields } | FakeMessage,
    title: string,
    { account = FAY, reason }: { readonly account?: string; readonly reason?: string } = {},
  ) {
    const { verb, data } = actionOf(card, title)
    const inputs = reason === undefined ? {} : { reason }
    const answer = await post(execute(fake, account, { verb, data: { ...data, ...inputs } }))
    expect(answer.status).toBe(200)
    return answer
  }

  const open = async (id: string, account = FAY) =>
    click(await asking(id, account), 'Read and decide', { account })

  return { ...own, fake, post, link, asking, click, open }
}
