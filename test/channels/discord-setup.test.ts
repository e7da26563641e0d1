import { expect, test } from 'vitest'
import type { Notice } from '../../src/gate/notify/channel.ts'
import { command, discordWorld, FAY, textOf } from './discord-world.ts'
import { nextId } from './fake-discord.ts'

test('several calls are told to one person in Discord in one message', async () => {
  const { channel, fake, link } = await discordWorld()
  await link()
  const notice = (id: string, question: boolean) => {
    const status = question ? 'pending' : 'denied'
    const kind = question ? 'asked' : 'denied'
    const approval = { id, tool: '**pay** ``` @everyone', agent: 'biller', status, decideBy: 0 }
    const link = 'http://127.0.0.1:4747/approvals/x'
    return { id, kind, question, at: 0, to: [], approval, link } as unknown as Notice
  }
  const { signal } = new AbortController()
  // The fake refuses markup that is not ours.
  await channel.sendDigest?.([notice('a', true), notice('b', false)], signal, `@${FAY}`)
  expect(fake.messages.at(-1)?.text).toMatch(/^1 call waits for you, news of 1 call\n/)
})

test('a link code is asked for by other words, and a wrong one is refused', async () => {
  const { post } = await discordWorld()
  expect(textOf((await post(command('hello'))).answer)).toMatch(/make a code/)
  expect(textOf((await post(command('0000-0000-0000'))).answer)).toMatch(/used before, is too old/)
})

test('Discord checks our address with signed requests', async () => {
  const { post } = await discordWorld()
  const ping = { type: 1, id: nextId() }
  expect(await post(ping)).toEqual({ status: 200, answer: { type: 1 } })
  expect((await post(ping, {})).status).toBe(401)
})
