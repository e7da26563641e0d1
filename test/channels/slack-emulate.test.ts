import { createEmulator } from 'emulate'
import { expect, onTestFinished, vi } from 'vitest'
import { slack } from '../../src/channels/slack/slack.ts'
import { createSlackCall } from '../../src/channels/slack/slack-api.ts'
import { SCOPES } from '../../src/channels/slack/slack-manifest.ts'
import { internals } from '../../src/gate/internals.ts'
import { HOST, running } from '../server/harness.ts'
import { freePorts } from '../support/free-ports.ts'
import { promise } from '../support/promise.ts'
import { POLICY } from './chat-world.ts'

const TOKEN = 'xoxb-emulated'

promise(
  ['CS-SLACK-1', 'CS-SLACK-6'],
  'an emulator of Slack that others wrote takes our messages, under the scopes of the manifest',
  async () => {
    const [port = 0] = await freePorts(1)
    const emulator = await createEmulator({
      service: 'slack',
      port,
      seed: {
        slack: {
          strict_scopes: true,
          team: { name: 'Acme', domain: 'acme' },
          users: [
            { name: 'fay', real_name: 'Fay', email: 'fay@example.com' },
            { name: 'countersign', real_name: 'Countersign', email: 'bot@example.com' },
          ],
          tokens: [{ token: TOKEN, user: 'countersign', scopes: Object.keys(SCOPES) }],
        },
      },
    })
    onTestFinished(() => emulator.close())
    const apiUrl = `http://127.0.0.1:${port}/api`
    const own = running({
      policy: POLICY,
      publicUrl: new URL(`http://${HOST}/`),
      channels: [slack({ botToken: TOKEN, share: 'message', apiUrl })],
    })
    const bot = await own.agent('biller')
    const fay = await own.person('fay@example.com')
    const args = { amount: 500, to: '<https://evil.example|click> <!channel>' }
    const body = { tool: 'pay', run: 'r', key: 'k', args }
    const asked = await own.send('/v1/calls', { as: bot, body })
    const call = createSlackCall(apiUrl, TOKEN)
    const user = (await call('users.lookupByEmail', { email: 'fay@example.com' })).body.user
    const opened = await call('conversations.open', { users: (user as { id: string }).id })
    const channel = (opened.body.channel as { id: string }).id
    const read = async () => (await call('conversations.history', { channel })).body.messages
    const messages = await vi.waitFor(async () => {
      const found = (await read()) as { ts: string; text: string; blocks: object[] }[]
      if (found.length === 0) throw new Error('nothing came')
      return found
    }, 10_000)
    expect(messages).toHaveLength(1)
    expect(JSON.stringify(messages[0]?.blocks)).toContain('cs-about:')
    const decision = { verdict: 'deny', digest: asked.at('digest') }
    await own.send(`/v1/approvals/${asked.at('id')}/decisions`, { as: fay, body: decision })
    await own.server.gate[internals].idle()
    await vi.waitFor(async () => {
      expect(await read()).toMatchObject([
        { ts: messages[0]?.ts, text: 'L3 · pay: denied by fay@example.com' },
      ])
    }, 10_000)
  },
)
