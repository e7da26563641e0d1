import { expect, onTestFinished, test } from 'vitest'
import { discord } from '../../src/channels/discord/discord.ts'
import { checkSetup } from '../../src/channels/discord/discord-setup.ts'
import { serve } from '../../src/server/serve.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { chatServer } from './chat-server.ts'
import { FAY } from './discord-world.ts'
import {
  conversationOf,
  fakeDiscord,
  keyOf,
  PUBLIC_KEY,
  publicHexOf,
  TOKEN,
} from './fake-discord.ts'

const OTHER_KEY = publicHexOf(keyOf(9))

/** A real server on a port, with this public key. */
async function listening(apiUrl: string, publicKeys: string) {
  const channel = discord({ botToken: TOKEN, publicKeys, apiUrl })
  const server = chatServer(memoryStore(), channel)
  const { url, close } = await serve(server.app, { host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await close()
    await server.close()
  })
  return url
}

async function setUp() {
  const fake = await fakeDiscord()
  onTestFinished(() => fake.close())
  const lines: string[] = []
  const run = (more: Partial<Parameters<typeof checkSetup>[0]> = {}) => {
    lines.length = 0
    const options = { botToken: TOKEN, publicKeys: [PUBLIC_KEY], apiUrl: fake.apiUrl, ...more }
    return checkSetup(options, ({ ok, says }) => lines.push(`${ok ? 'ok' : 'no'} ${says}`))
  }
  return { fake, lines, run }
}

test('token, key, command, an address that Discord tries, and a message', async () => {
  const { fake, lines, run } = await setUp()
  expect(await run()).toBe(false)
  expect(lines.slice(2)).toEqual([
    'no Discord sends what people press nowhere: run this with --url.',
    'no The command /countersign is not there: run this with --url.',
  ])
  const url = await listening(fake.apiUrl, PUBLIC_KEY)
  expect(await run({ url, to: FAY })).toBe(true)
  expect(fake.endpoint).toBe(`${url}v1/channels/discord`)
  expect(fake.commands.map(({ name }) => name)).toEqual(['countersign'])
  expect(fake.messages.map(({ channel, text }) => [channel, text])).toEqual([
    [conversationOf(FAY), 'Countersign works here.'],
  ])
  expect(await run()).toBe(true)
  expect(lines.filter((line) => line.startsWith('no'))).toEqual([])
})

test('says what is wrong', async () => {
  const { fake, lines, run } = await setUp()
  expect(await run({ botToken: `${TOKEN}x` })).toBe(false)
  expect(lines.at(-1)).toBe('no Discord refuses the token.')
  expect(await run({ publicKeys: [OTHER_KEY], url: 'http://127.0.0.1:9/' })).toBe(false)
  expect(lines.at(-1)).toBe('no The public key is that of another one.')
  expect(fake.commands).toEqual([])
  // The server there has another key, and the one after it is not running.
  const url = await listening(fake.apiUrl, OTHER_KEY)
  for (const address of [url, 'http://127.0.0.1:9/']) {
    expect(await run({ url: address })).toBe(false)
    expect(lines.at(-1)).toMatch(/^no Discord got no right answer at .* Start the server there/)
  }
  fake.endpoint = 'https://sign.example.com/v1/channels/discord'
  expect(await run({ to: '420000000000000404' })).toBe(false)
  expect(lines.at(-1)).toBe('no There is no such account.')
  fake.fail('post', 'closed')
  expect(await run({ to: FAY })).toBe(false)
  expect(lines.at(-1)).toMatch(/^no This person takes no messages of the bot/)
})
