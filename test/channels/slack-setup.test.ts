import { expect, onTestFinished, test, vi } from 'vitest'
import { SCOPES, slackManifest } from '../../src/channels/slack/slack-manifest.ts'
import { checkSetup } from '../../src/channels/slack/slack-setup.ts'
import { fakeSlack, TOKENS } from './fake-slack.ts'
import { MEMBERS } from './slack-world.ts'

async function setUp() {
  const fake = await fakeSlack(MEMBERS)
  onTestFinished(() => fake.close())
  const lines: string[] = []
  const run = (more: Partial<Parameters<typeof checkSetup>[0]> = {}) =>
    checkSetup(
      { botToken: TOKENS.bot, appToken: TOKENS.app, apiUrl: fake.apiUrl, patience: 300, ...more },
      ({ ok, says }) => lines.push(`${ok ? 'ok' : 'no'} ${says}`),
    )
  return { fake, lines, run }
}

test('tokens, scopes and a button that comes back', async () => {
  const { fake, lines, run } = await setUp()
  const running = run({ to: 'fay@example.com', patience: 10_000 })
  const message = await vi.waitFor(() => {
    const [found] = fake.messages
    if (!found) throw new Error('nothing came')
    return found
  }, 5_000)
  const [, value] = JSON.stringify(message.blocks).match(/"value":"([^"]+)"/) ?? []
  await fake.envelope('interactive', {
    type: 'block_actions',
    actions: [{ action_id: 'cs_test', value }],
  })
  expect(await running).toBe(true)
  expect(message.text).toBe('Countersign works here.')
  expect(lines.filter((line) => line.startsWith('no'))).toEqual([])
})

test('says what is missing', async () => {
  const { fake, lines, run } = await setUp()
  fake.scopes = 'chat:write,im:write'
  expect(await run({ to: 'none@example.com' })).toBe(false)
  expect(lines).toContain('no It lacks users:read: know guests, bots and people who left.')
  expect(lines.at(-1)).toBe('no No full member of the workspace has the address none@example.com.')
})

test('a button that is not pressed, and tokens that are wrong, are no round trip', async () => {
  const { lines, run, fake } = await setUp()
  expect(await run({ to: 'fay@example.com' })).toBe(false)
  expect(fake.messages[0]?.text).toBe('The button was not pressed in time.')
  expect(await run({ botToken: 'xoxb-wrong' })).toBe(false)
  expect(lines.at(-1)).toBe('no Slack answered invalid_auth to auth.test.')
})

test('a button is not left out in silence where none can come back', async () => {
  const { fake, lines } = await setUp()
  const options = { botToken: TOKENS.bot, apiUrl: fake.apiUrl, to: 'fay@example.com' }
  expect(await checkSetup(options, ({ says }) => lines.push(says))).toBe(false)
  expect(lines.at(-1)).toBe('A button can only be tried with an app token (Socket Mode).')
})

test('the manifest asks for what is used, by Socket Mode or for an address', () => {
  expect(slackManifest()).toMatchObject({
    oauth_config: { scopes: { bot: Object.keys(SCOPES) } },
    settings: { socket_mode_enabled: true, event_subscriptions: { bot_events: ['message.im'] } },
  })
  const address = 'https://sign.example.com/v1/channels/slack'
  expect(slackManifest(address)).toMatchObject({
    settings: {
      socket_mode_enabled: false,
      interactivity: { is_enabled: true, request_url: address },
      event_subscriptions: { request_url: address },
    },
  })
})
