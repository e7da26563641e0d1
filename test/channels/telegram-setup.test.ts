import { expect, onTestFinished, test, vi } from 'vitest'
import { checkSetup } from '../../src/channels/telegram/telegram-setup.ts'
import { fakeTelegram, TOKEN, WEBHOOK_SECRET } from './fake-telegram.ts'
import { FAY, typed } from './telegram-world.ts'

async function setUp() {
  const fake = await fakeTelegram()
  onTestFinished(() => fake.close())
  const lines: string[] = []
  const run = (more: Partial<Parameters<typeof checkSetup>[0]> = {}) =>
    checkSetup(
      {
        ...{ botToken: TOKEN, apiUrl: fake.apiUrl, hasSecret: false },
        ...{ polling: false, tries: false, patience: 300, ...more },
      },
      ({ ok, says }) => lines.push(`${ok ? 'ok' : 'no'} ${says}`),
    )
  return { fake, lines, run }
}

test('token, long polling and a message that is answered', async () => {
  const { fake, lines, run } = await setUp()
  const running = run({ tries: true, patience: 10_000 })
  await vi.waitFor(() => expect(lines.at(-1)).toMatch(/Write anything to @cs_bot/), 5_000)
  fake.push(typed(fake, FAY, 'hello'))
  expect(await running).toBe(true)
  expect(fake.messages.map(({ text }) => text)).toEqual(['Countersign works here.'])
  expect(lines.filter((line) => line.startsWith('no'))).toEqual([])
})

test('a webhook is set with its secret, and removed again', async () => {
  const { fake, lines, run } = await setUp()
  const webhook = { url: 'https://sign.example.com/', secret: WEBHOOK_SECRET }
  expect(await run({ webhook, hasSecret: true })).toBe(true)
  expect(fake.webhook).toBe('https://sign.example.com/v1/channels/telegram')
  expect(await run()).toBe(false)
  expect(lines.at(-1)).toMatch(/^no A webhook is set and no secret for it/)
  expect(await run({ polling: true })).toBe(true)
  expect(fake.webhook).toBe('')
})

test('says what is wrong', async () => {
  const { lines, run } = await setUp()
  expect(await run({ tries: true })).toBe(false)
  expect(lines.at(-1)).toBe('no No message came in time.')
  expect(await run({ hasSecret: true })).toBe(false)
  expect(await run({ botToken: `${TOKEN}x` })).toBe(false)
  expect(lines.at(-1)).toBe('no Telegram refuses the token.')
})
