import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  createTaskSessionFromClient,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client'
import { expect, onTestFinished, vi } from 'vitest'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { modernRequest } from './modern-wire.ts'

const EXTENSION = 'io.modelcontextprotocol/tasks'
const TASKS = { extensions: { [EXTENSION]: {} } }
const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }

type Headers = Readonly<Record<string, string>>

function bank(hold?: number) {
  const witness = path.join(folder(), 'witness')
  const [store, keys] = [memoryStore(), memoryKeys()]
  const start = (approval = 'true', settings = '') =>
    gateway(
      `version: 1\nmcp_servers:\n  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} ${settings} }, approval: ${approval} }\n`,
      { store, keys, ...(hold === undefined ? {} : { hold }) },
    )
  const ran = () => (existsSync(witness) ? readFileSync(witness, 'utf8') : '')
  return { start, ran, store }
}

const send = (
  at: Gateway,
  agent: Headers,
  method: string,
  params: Readonly<Record<string, unknown>>,
  capabilities: object = TASKS,
) => {
  const named: Headers = 'taskId' in params ? { 'mcp-name': String(params.taskId) } : {}
  return modernRequest(at.url, agent, { method, params, capabilities, headers: named })
}

const ended = (at: Gateway, agent: Headers, taskId: string) =>
  vi.waitFor(
    async () => {
      const { result } = await send(at, agent, 'tasks/get', { taskId })
      expect(['completed', 'failed', 'cancelled']).toContain(result.status)
      return result
    },
    { timeout: 20_000, interval: 50 },
  )

const NOT_FOUND = { code: -32_602, message: 'Failed to retrieve task: Task not found' }

promise(
  ['CS-TASK-1'],
  'the official client of the extension follows a call that waits, and gets its result',
  async () => {
    const { start, ran } = bank()
    const at = await start()
    const headers = await at.agent('bot')
    const client = new Client(
      { name: 'a-test', version: '1' },
      { capabilities: TASKS, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    await client.connect(new StreamableHTTPClientTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    expect(client.getServerCapabilities()?.extensions).toHaveProperty([EXTENSION])
    const session = createTaskSessionFromClient(client, {
      endpointId: 'the-gateway',
      rawDispatch: async (request) => {
        const { method, params } = request as { method: string; params: { taskId?: string } }
        const { result, error } = await send(at, headers, method, params)
        if (!error) return { kind: 'result', result }
        return { kind: 'error', error: { code: error.code, message: error.message } }
      },
      v2RequestFraming: {
        protocolVersion: '2026-07-28',
        clientInfo: { name: 'a-test', version: '1' },
        clientCapabilities: TASKS,
      },
    })
    onTestFinished(() => session.close())
    const execution = await session.callTool(PAY.name, PAY.arguments)
    expect(ran()).toBe('')
    await at.answer('approve')
    const result = resultFromTaskOutcome((await execution.settle()).outcome)
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'paid 5 to Lena' }] })
    expect(ran()).toBe('pay 5 Lena\n')
  },
)

promise(
  ['CS-TASK-1'],
  'a call that waits is answered with a task that says where people decide; others are not',
  async () => {
    const { start, ran } = bank()
    const at = await start()
    const agent = await at.agent('bot')
    const { result } = await send(at, agent, 'tools/call', PAY)
    expect(result).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 7_776_000_000 })
    const { approvals } = await at.store.list({ status: ['pending'] })
    expect(result.statusMessage).toContain(`http://127.0.0.1/approvals/${approvals[0]?.id}`)
    const { result: now } = await send(at, agent, 'tasks/get', { taskId: result.taskId })
    expect(now).toMatchObject({ resultType: 'complete', status: 'working' })
    await at.answer('deny')
    const denied = await ended(at, agent, result.taskId)
    expect(denied).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(denied.result)).toContain('denied')
    expect(ran()).toBe('')
    // Without the extension there is no task, whatever was declared before.
    const held = send(at, agent, 'tools/call', { ...PAY, arguments: { to: 'Bo', amount: 1 } }, {})
    await at.answer('approve')
    expect((await held).result).toMatchObject({ resultType: 'complete' })
  },
)

promise(
  ['CS-TASK-2'],
  'a task outlives the server: the approval is the truth, and the call runs once',
  async () => {
    const { start, ran } = bank()
    const before = await start()
    const agent = await before.agent('bot')
    const one = (await send(before, agent, 'tools/call', PAY)).result.taskId
    await before.stop()
    const after = await start()
    // Of another token of the same agent nothing here knows yet whose task it is, but the record.
    const other = await after.agent('bot')
    expect((await send(after, other, 'tasks/get', { taskId: one })).error).toMatchObject(NOT_FOUND)
    expect((await send(after, agent, 'tasks/get', { taskId: one })).result).toMatchObject({
      status: 'working',
    })
    await after.answer('approve')
    expect(await ended(after, agent, one)).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'paid 5 to Lena' }] },
    })
    expect(ran()).toBe('pay 5 Lena\n')
    await after.stop()
    // And once more, when all is over: the same result from the record, and nothing runs.
    const last = await start()
    expect(await ended(last, agent, one)).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text', text: 'paid 5 to Lena' }] },
    })
    expect(ran()).toBe('pay 5 Lena\n')
    expect((await last.store.list({})).approvals).toHaveLength(1)
  },
)

promise(
  ['CS-TASK-2'],
  'after a restart a yes does not run the call on a server with other settings',
  async () => {
    const { start, ran } = bank()
    const before = await start()
    const agent = await before.agent('bot')
    const { taskId } = (await send(before, agent, 'tools/call', PAY)).result
    await before.stop()
    const after = await start('true', ', BANK_PROFILE: production')
    await after.answer('approve')
    expect(await ended(after, agent, taskId)).toMatchObject({ result: { isError: true } })
    expect(ran()).toBe('')
    expect((await after.store.list({})).approvals[0]).toMatchObject({ status: 'invalidated' })
  },
)

promise(
  ['CS-TASK-3'],
  'ids that are forged, foreign or of another kind get nothing, and change nothing',
  async () => {
    const { start, ran } = bank()
    const at = await start()
    const [own, other] = [await at.agent('bot'), await at.agent('bot')]
    const { taskId } = (await send(at, own, 'tools/call', PAY)).result
    const { approvals } = await at.store.list({ status: ['pending'] })
    const id = approvals[0]?.id ?? ''
    const rows: [Headers, string][] = [
      [other, taskId],
      [own, `${taskId.slice(0, -2)}AA`],
      [own, id],
      [own, ''],
      [own, '__proto__'],
    ]
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const [agent, wrong] of rows) {
        const { error } = await send(at, agent, method, { taskId: wrong, inputResponses: {} })
        expect(error, `${method} ${wrong}`).toMatchObject(NOT_FOUND)
      }
      const undeclared = await send(at, own, method, { taskId, inputResponses: {} }, {})
      expect(undeclared).toMatchObject({ status: 400, error: { code: -32_021 } })
    }
    // The header must name the same task.
    const wrong = await modernRequest(at.url, own, {
      method: 'tasks/get',
      params: { taskId },
      capabilities: TASKS,
      headers: { 'mcp-name': 'another' },
    })
    expect(wrong.error).toMatchObject({ code: -32_020 })
    expect((await at.store.get(id))?.status).toBe('pending')
    expect((await send(at, own, 'tasks/get', { taskId })).result.status).toBe('working')
    expect(ran()).toBe('')
  },
)

promise(
  ['CS-TASK-3'],
  'an answer to a task is no decision: only one to a question that was shown counts, and only there',
  async () => {
    const { start, ran } = bank()
    const at = await start('{ min_assurance: signed-in }')
    const agent = await at.agent('bot', 'ana@example.com')
    const able = { ...TASKS, elicitation: { form: {} } }
    const { taskId } = (await send(at, agent, 'tools/call', PAY, able)).result
    const yes = { action: 'accept', content: { decision: 'approve' } }
    for (const key of ['q1', 'decision', taskId]) {
      const answers = { taskId, inputResponses: { [key]: yes } }
      expect((await send(at, agent, 'tasks/update', answers, able)).result).toEqual({
        resultType: 'complete',
      })
    }
    expect((await send(at, agent, 'tasks/get', { taskId }, able)).result.status).toBe('working')
    expect((await at.store.list({})).approvals[0]).toMatchObject({ status: 'pending' })
    expect(ran()).toBe('')
  },
)

promise(
  ['CS-TASK-4'],
  'a question that the client may show comes as input_required, and its answer by tasks/update',
  async () => {
    const { start, ran } = bank()
    const at = await start()
    const agent = await at.agent('bot', 'ana@example.com')
    const able = { ...TASKS, elicitation: { form: {} } }
    const { taskId } = (await send(at, agent, 'tools/call', PAY, able)).result
    const asked = await vi.waitFor(async () => {
      const { result } = await send(at, agent, 'tasks/get', { taskId }, able)
      expect(result.status).toBe('input_required')
      return result
    })
    const [[key, question]] = Object.entries(asked.inputRequests) as [[string, { params: object }]]
    expect(JSON.stringify(question.params)).toContain('Countersign asks')
    const answer = (action: string, content: object) => {
      const inputResponses = { [key]: { action, content } }
      return send(at, agent, 'tasks/update', { taskId, inputResponses }, able)
    }
    await pause(900)
    await answer('cancel', {})
    expect((await send(at, agent, 'tasks/get', { taskId }, able)).result.status).toBe('working')
    // It was answered once; the question is left to the inbox.
    await answer('accept', { decision: 'approve' })
    expect((await at.store.list({})).approvals[0]?.status).toBe('pending')
    await at.answer('approve')
    expect((await ended(at, agent, taskId)).result.content[0].text).toBe('paid 5 to Lena')
    expect(ran()).toBe('pay 5 Lena\n')
  },
)

promise(
  ['CS-TASK-4'],
  'cancelling a task withdraws its question, here and after a restart',
  async () => {
    const { start, ran, store } = bank()
    const before = await start()
    const agent = await before.agent('bot')
    const one = (await send(before, agent, 'tools/call', PAY)).result.taskId
    const other = { ...PAY, arguments: { to: 'Bo', amount: 1 } }
    const two = (await send(before, agent, 'tools/call', other)).result.taskId
    expect((await send(before, agent, 'tasks/cancel', { taskId: one })).result).toEqual({
      resultType: 'complete',
    })
    expect(await ended(before, agent, one)).toMatchObject({ status: 'cancelled' })
    await before.stop()
    const after = await start()
    await send(after, agent, 'tasks/cancel', { taskId: two })
    expect(await ended(after, agent, two)).toMatchObject({ status: 'cancelled' })
    const { approvals } = await store.list({})
    expect(approvals.map(({ status }) => status)).toEqual(['withdrawn', 'withdrawn'])
    expect(ran()).toBe('')
  },
)

promise(
  ['CS-TASK-3'],
  'a token that is revoked takes its tasks with it: a later yes runs nothing',
  async () => {
    const { start, ran, store } = bank()
    const at = await start()
    const agent = await at.agent('bot')
    const { taskId } = (await send(at, agent, 'tools/call', PAY)).result
    const [token] = await at.server.credentials.tokens.list()
    await at.server.credentials.tokens.revoke(token?.prefix ?? '')
    await vi.waitFor(async () =>
      expect((await store.list({})).approvals[0]?.status).toBe('withdrawn'),
    )
    const other = await at.agent('bot')
    expect((await send(at, other, 'tasks/get', { taskId })).error).toMatchObject(NOT_FOUND)
    expect(ran()).toBe('')
  },
)

promise(
  ['CS-TASK-4'],
  'a client that listens for its tasks is told of each change with the whole task, and of no other’s',
  async () => {
    const { start } = bank()
    const at = await start()
    const [own, other] = [await at.agent('bot'), await at.agent('bot')]
    const mine = (await send(at, own, 'tools/call', PAY)).result.taskId
    const foreign = (
      await send(at, other, 'tools/call', { ...PAY, arguments: { to: 'Bo', amount: 1 } })
    ).result.taskId
    await at.store.list({})
    const events = await listening(at, own, [mine, foreign, 'none'])
    expect(await events()).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: { taskIds: [mine] } },
    })
    expect(await events()).toMatchObject({
      method: 'notifications/tasks',
      params: { taskId: mine, status: 'working' },
    })
    await send(at, own, 'tasks/cancel', { taskId: mine })
    expect(await events()).toMatchObject({ params: { taskId: mine, status: 'cancelled' } })
  },
)

async function listening(at: Gateway, agent: Headers, taskIds: readonly string[]) {
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const answer = await fetch(at.url, {
    method: 'POST',
    signal: stop.signal,
    headers: {
      ...agent,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 'l',
      method: 'subscriptions/listen',
      params: {
        notifications: { taskIds },
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': TASKS,
        },
      },
    }),
  })
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  return async (): Promise<unknown> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        const data = /^data: (.*)$/m.exec(event)?.[1]
        if (data) return JSON.parse(data)
        continue
      }
      const { value, done } = (await reader?.read()) ?? { done: true }
      if (done) throw new Error('the stream ended')
      text += value
    }
  }
}
