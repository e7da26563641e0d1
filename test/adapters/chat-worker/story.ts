import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { ToolUIPart, UIMessage } from 'ai'
import { sessionCookie } from '../../../examples/chat-worker/session.ts'
import { createCountersign } from '../../../src/app/create-countersign.ts'
import { parsePolicy } from '../../../src/policy/load/parse-policy.ts'
import { signInSecret } from '../../../src/server/identity/invite.ts'
import { createTokens } from '../../../src/server/identity/tokens.ts'
import { serve } from '../../../src/server/serve.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'
import { signInWith } from '../../mcp/signed-in.ts'

const EXAMPLE = path.join(import.meta.dirname, '../../../examples/chat-worker')
export const ENTRY = path.join(EXAMPLE, 'worker.ts')
const SECRET = 'a secret of this test'
const LENA = 'lena@example.com'
const MALLORY = 'mallory@example.com'

type Start = (
  env: Readonly<Record<string, string>>,
) => Promise<{ readonly url: string; kill(): Promise<void> }>

/** What the example's README says, with a real server, a bank that notes what it was told, and a socket. */
export async function chatWorkerStory(start: Start): Promise<void> {
  const store = memoryStore()
  const text = readFileSync(path.join(EXAMPLE, 'countersign.yaml'), 'utf8')
  const countersign = createCountersign({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store,
    publicUrl: 'http://127.0.0.1:1/',
  })
  await countersign.ready()
  const serving = await serve(countersign, { host: '127.0.0.1', port: 0 })
  const { token } = await createTokens(store).create({ agent: 'chat-worker', vouches: true })
  const invited = { email: 'ana@example.com', roles: ['approver' as const] }
  const ana = await signInWith(new URL(serving.url), await signInSecret(store, invited))
  const bank = await openBank()
  const worker = await start({
    COUNTERSIGN_URL: serving.url,
    COUNTERSIGN_TOKEN: token,
    SESSION_SECRET: SECRET,
    BANK_URL: bank.url,
  })
  try {
    await isClosed(worker.url)
    const lena = await roomOf(worker.url, LENA)

    // A payment waits for Lena, and her yes in the chat runs it, once.
    await lena.say('Pay Northwind 40')
    const asked = await lena.waiting()
    assert.deepEqual(bank.told, [])
    lena.answer(asked.toolCallId, true)
    await lena.until(() => bank.told.length === 1)
    assert.deepEqual(bank.told, [{ what: 'paid', to: 'Northwind', amount: 40 }])
    await lena.says(/paid: 40 to Northwind/)

    // Her no does not, and the model reads it.
    await lena.say('Pay Harbour 70')
    lena.answer((await lena.waiting()).toolCallId, false)
    await lena.says(/did not run|denied/)
    assert.equal(bank.told.length, 1)
    assert.equal((await store.list({ status: ['denied'] })).approvals.length, 1)

    // Her yes to what Ana reviews counts for nothing; Ana's does.
    await lena.say('Refund Lena 15')
    const refund = await lena.waiting()
    lena.answer(refund.toolCallId, true)
    const [pending] = (await store.list({ status: ['pending'] })).approvals
    assert.equal(pending?.call.tool, 'refund')
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    assert.equal(bank.told.length, 1)
    const decision = { verdict: 'approve', digest: pending.digest }
    const said = await ana.send('POST', `/v1/approvals/${pending.id}/decisions`, decision)
    assert.equal(said.status, 200, JSON.stringify(said.body))
    await lena.until(() => bank.told.length === 2)
    assert.deepEqual(bank.told[1], { what: 'refunded', to: 'Lena', amount: 15 })
    lena.close()
  } finally {
    await worker.kill()
    bank.close()
    await serving.close()
    await countersign.close()
    await store.close()
  }
}

/** No one without a session, with one that was made up, with another's, or from another page gets in. */
async function isClosed(url: string): Promise<void> {
  const at = `${url}/agents/chat-agent/${encodeURIComponent(LENA)}/get-messages`
  const status = async (headers: Record<string, string>) => (await fetch(at, { headers })).status
  const cookie = await sessionCookie(LENA, SECRET)
  assert.equal(await status({ cookie }), 200)
  assert.equal(await status({}), 401)
  assert.equal(await status({ cookie: await sessionCookie(LENA, 'another secret') }), 401)
  assert.equal(await status({ cookie: `session=%E0%A4%A.${'0'.repeat(64)}` }), 401)
  assert.equal(await status({ cookie: await sessionCookie(MALLORY, SECRET) }), 403)
  assert.equal(await status({ cookie, origin: 'https://evil.example.com' }), 401)
}

async function roomOf(url: string, user: string) {
  const at = `${url}/agents/chat-agent/${encodeURIComponent(user)}`
  const headers = { cookie: await sessionCookie(user, SECRET) }
  const socket = new WebSocket(at.replace('http', 'ws'), { headers } as never)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })

  async function messages(): Promise<UIMessage[]> {
    return (await (await fetch(`${at}/get-messages`, { headers })).json()) as UIMessage[]
  }

  async function until<T>(look: () => T | Promise<T>): Promise<T> {
    const end = performance.now() + 30_000
    for (;;) {
      const found = await look()
      if (found) return found
      if (performance.now() > end) {
        throw new Error(`nothing came: ${JSON.stringify((await messages()).at(-1))}`)
      }
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  async function parts() {
    return ((await messages()).at(-1)?.parts ?? []) as (ToolUIPart & { text?: string })[]
  }

  return {
    until,
    async say(text: string) {
      const id = crypto.randomUUID()
      const said = { id, role: 'user', parts: [{ type: 'text', text }] }
      const body = JSON.stringify({ messages: [...(await messages()), said] })
      socket.send(
        JSON.stringify({ type: 'cf_agent_use_chat_request', id, init: { method: 'POST', body } }),
      )
    },
    waiting: () =>
      until(async () => (await parts()).find(({ state }) => state === 'approval-requested')).then(
        (found) => found ?? assert.fail('no call waits'),
      ),
    answer(toolCallId: string, approved: boolean) {
      const yes = { type: 'cf_agent_tool_approval', toolCallId, approved, autoContinue: true }
      socket.send(JSON.stringify(yes))
    },
    says: (words: RegExp) =>
      until(async () => words.test((await parts()).map(({ text = '' }) => text).join(''))),
    close: () => socket.close(),
  }
}

async function openBank() {
  const told: object[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    told.push(JSON.parse(text) as object)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, told, close: () => server.close() }
}
