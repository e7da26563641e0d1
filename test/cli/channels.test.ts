import { expect, onTestFinished, test, vi } from 'vitest'
import { TOKEN as DISCORD_TOKEN, fakeDiscord, PUBLIC_KEY } from '../channels/fake-discord.ts'
import { mailServer } from '../channels/fake-mail.ts'
import { fakeSlack, TOKENS } from '../channels/fake-slack.ts'
import * as teams from '../channels/fake-teams.ts'
import { fakeTelegram, TOKEN } from '../channels/fake-telegram.ts'
import { MEMBERS } from '../channels/slack-world.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder } from './countersign.ts'
import { runServer } from './running-server.ts'

const POLICY = `version: 1
people: { groups: { finance: [fay@example.com] } }
tools:
  pay: { approval: { message_template: "Pay {{tool_args.amount}}?", approvers: [{ group: finance }] } }
`
const PATIENCE = 20_000
const PLACE = '810000000000000001'
const DISCORD = {
  COUNTERSIGN_DISCORD_BOT_TOKEN: DISCORD_TOKEN,
  COUNTERSIGN_DISCORD_PUBLIC_KEY: PUBLIC_KEY,
}

promise(
  ['CS-SLACK-6', 'CS-MAIL-1', 'CS-TG-6', 'CS-DISC-6'],
  '`countersign start` with the flags of Slack, Telegram, Discord and mail: a question reaches each of them',
  async () => {
    const [slack, telegram, discord, microsoft, { mails, smtp }] = await Promise.all([
      fakeSlack(MEMBERS),
      fakeTelegram(),
      fakeDiscord(),
      teams.fakeTeams(),
      mailServer(),
    ])
    onTestFinished(async () => {
      await Promise.all([slack.close(), telegram.close(), discord.close(), microsoft.close()])
    })
    const bot = {
      COUNTERSIGN_TEAMS_APP_ID: teams.APP_ID,
      COUNTERSIGN_TEAMS_APP_PASSWORD: teams.PASSWORD,
      COUNTERSIGN_TEAMS_TENANT: teams.TENANT,
      COUNTERSIGN_TEAMS_LOGIN_URL: microsoft.url,
      COUNTERSIGN_TEAMS_KEYS_URL: `${microsoft.url}/keys`,
    }
    const server = await runServer(
      POLICY,
      [
        ...['--slack-share', 'message', '--slack-channel', 'finance=C0FIN'],
        ...['--telegram-share', 'name', '--telegram-chat', 'finance=-1001234'],
        ...['--discord-share', 'message', '--discord-channel', `finance=${PLACE}`],
        ...['--discord-server', '800000000000000001'],
        ...['--mail-from', 'Countersign <no-reply@sign.example.com>', '--mail-share', 'message'],
      ],
      {
        COUNTERSIGN_SLACK_BOT_TOKEN: TOKENS.bot,
        COUNTERSIGN_SLACK_APP_TOKEN: TOKENS.app,
        COUNTERSIGN_SLACK_API_URL: slack.apiUrl,
        COUNTERSIGN_TELEGRAM_BOT_TOKEN: TOKEN,
        COUNTERSIGN_TELEGRAM_API_URL: telegram.apiUrl,
        ...DISCORD,
        COUNTERSIGN_DISCORD_API_URL: discord.apiUrl,
        ...bot,
        COUNTERSIGN_SMTP_URL: smtp,
      },
    )
    onTestFinished(() => server.remove())
    const { id } = await server.ask({ tool: 'pay', run: 'r', key: 'k', args: { amount: 500 } })
    await vi.waitFor(() => {
      expect(slack.messages.map(({ channel }) => channel)).toEqual(['C0FIN'])
      expect(telegram.messages.map(({ chat }) => chat)).toEqual([-1_001_234])
      expect(discord.messages.map(({ channel }) => channel)).toEqual([PLACE])
      expect(mails.map(({ to }) => to?.[0]?.address)).toEqual(['fay@example.com'])
    }, PATIENCE)
    expect(JSON.stringify(slack.messages[0]?.blocks)).toContain('Pay «500»?')
    expect(mails[0]?.text).toContain('Pay «500»?')
    expect(telegram.messages[0]?.text).toMatch(/^pay waits for a decision\nMay bot run pay\?/)
    expect(discord.messages[0]?.text).toMatch(/^pay waits for a decision\nPay «500»\?/)
    await server.withdraw(id)
    await vi.waitFor(() => {
      expect(slack.messages[0]?.text).toBe('pay: withdrawn')
      expect(telegram.messages[0]?.text).toMatch(/^pay: withdrawn/)
      expect(discord.messages[0]?.text).toMatch(/^pay: withdrawn/)
    }, PATIENCE)
    // What is set up is said by the commands that check it.
    const env = {
      COUNTERSIGN_SLACK_BOT_TOKEN: TOKENS.bot,
      COUNTERSIGN_SLACK_API_URL: slack.apiUrl,
      COUNTERSIGN_TELEGRAM_BOT_TOKEN: TOKEN,
      COUNTERSIGN_TELEGRAM_API_URL: telegram.apiUrl,
      ...DISCORD,
      COUNTERSIGN_DISCORD_API_URL: discord.apiUrl,
      ...bot,
    }
    const { cwd } = server
    const [first, second, third, fourth, manifest] = await Promise.all([
      countersign(['slack', 'setup'], { cwd, env }),
      countersign(['telegram', 'setup'], { cwd, env }),
      countersign(['discord', 'setup', '--url', server.url], { cwd, env }),
      countersign(['teams', 'setup', '--url', server.url], { cwd, env }),
      countersign(['teams', 'setup', '--manifest', '--url', server.url], { cwd, env }),
    ])
    expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('workspace Acme')])
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('the bot @cs_bot')])
    // Discord itself tried the address: this server, which runs.
    expect([third.code, third.stdout]).toEqual([
      0,
      expect.stringContaining('answered a request that Discord signed'),
    ])
    expect([fourth.code, fourth.stdout]).toEqual([
      0,
      expect.stringContaining('that is the messaging endpoint'),
    ])
    expect(JSON.parse(manifest.stdout)).toMatchObject({ bots: [{ botId: teams.APP_ID }] })
    expect(discord.endpoint).toMatch(/\/v1\/channels\/discord$/)
  },
)

test('flags without a token, wrong tokens and wrong pairs are told before the server starts', async () => {
  const cwd = folder({ 'countersign.yaml': POLICY })
  const run = (args: readonly string[], env: Record<string, string> = {}) =>
    countersign(['start', '--port', '0', ...args], { cwd, env })
  const token = { COUNTERSIGN_TELEGRAM_BOT_TOKEN: TOKEN }
  const wrong = await Promise.all([
    run(['--telegram-share', 'arguments']),
    run([], { COUNTERSIGN_TELEGRAM_BOT_TOKEN: 'nope' }),
    run(['--telegram-chat', 'finance'], token),
    run(['--telegram-chat', 'finance=42'], token),
    run([], { ...token, COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET: 'short' }),
    countersign(['telegram', 'setup'], { cwd }),
    countersign(['telegram', 'setup', '--url', 'https://x.example'], { cwd, env: token }),
    run(['--discord-server', '800000000000000001']),
    run([], { ...DISCORD, COUNTERSIGN_DISCORD_PUBLIC_KEY: '' }),
    run(['--discord-channel', 'finance=general'], DISCORD),
    countersign(['discord', 'setup'], { cwd }),
    run(['--teams-share', 'name']),
    run([], { COUNTERSIGN_TEAMS_APP_ID: 'nope' }),
    countersign(['teams', 'setup'], { cwd }),
  ])
  expect(wrong.map(({ code }) => code)).toEqual(wrong.map(() => 2))
  const said = wrong.map(({ stderr }) => stderr)
  expect(said[0]).toMatch(/needs a bot token/)
  expect(said[1]).toMatch(/does not look like 123456:ABC/)
  expect(said[2]).toMatch(/is not a group and where it is told/)
  expect(said[3]).toMatch(/is not the id of a group chat/)
  expect(said[4]).toMatch(/16 to 256 letters/)
  expect(said[5]).toMatch(/@BotFather/)
  expect(said[7]).toMatch(/Discord needs a bot token/)
  expect(said[8]).toMatch(/public key of Discord is not 64 hex digits/)
  expect(said[9]).toMatch(/"general\\?" is not an id of Discord/)
  expect(said[10]).toMatch(/discord.com\/developers/)
  expect(said[11]).toMatch(/bot of Teams needs an app id/)
  expect(said[12]).toMatch(/are ids like 0a1b2c3d/)
  expect(said[13]).toMatch(/portal.azure.com/)
  // No error repeats a token.
  expect(said.join('')).not.toContain(TOKEN.slice(10))
})
