import { PassThrough } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { openAcpDoor } from '../../src/gateway/acp/door.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'

/** The door with a raw line on each side: an agent need not use an SDK. */
function door() {
  const [fromEditor, toEditor, fromAgent, toAgent] = Array.from(
    { length: 4 },
    () => new PassThrough(),
  ) as [PassThrough, PassThrough, PassThrough, PassThrough]
  const store = memoryStore()
  const seen: string[] = []
  const logged: string[] = []
  toEditor.on('data', (chunk: Buffer) => seen.push(...chunk.toString().trim().split('\n')))
  const owner = { file: 'countersign.yaml', text: 'version: 1\n' }
  const ana = { issuer: 'local', subject: 'ana' }
  const acp = openAcpDoor({
    gate: createGate({ policy: parsePolicy({ owner }), store, agent: 'acp', principal: ana }),
    person: { ...ana, groups: [], roles: ['approver'], assurance: 'elicitation' },
    alias: 'acp',
    inbox: async () => 'http://127.0.0.1:1',
    editor: { input: fromEditor, output: toEditor },
    agent: { input: fromAgent, output: toAgent },
    log: (line) => logged.push(line),
  })
  onTestFinished(async () => {
    acp.close()
    await store.close()
  })
  return {
    store,
    logged,
    seen: () => seen.map((line) => JSON.parse(line)),
    agent: (message: object) => fromAgent.write(`${JSON.stringify(message)}\n`),
  }
}

const told = (method: string, params: object) => ({ jsonrpc: '2.0', method, params })

promise(
  ['CS-ACP-3'],
  'a notification by the name of a request does not reach the editor',
  async () => {
    const { agent, seen, logged, store } = door()
    const file = { sessionId: 's', path: '/srv/x', content: 'x' }
    agent(told('fs/write_text_file', file))
    agent(told('terminal/create', { sessionId: 's', command: 'make' }))
    agent(told('session/request_permission', { sessionId: 's', toolCall: {}, options: [] }))
    agent(told('_zed/run_anything', { command: 'x' }))
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'hi' } }
    agent(told('session/update', { sessionId: 's', update }))
    // Lines keep their order: what comes before the last one has been seen by then.
    await expect.poll(seen).toHaveLength(1)
    expect(seen()).toEqual([told('session/update', { sessionId: 's', update })])
    expect(logged).toHaveLength(4)
    expect((await store.list({})).approvals).toEqual([])
  },
)

promise(
  ['CS-ACP-2'],
  'whatever the editor gets with a file was judged and shown, and an approver sees it',
  async () => {
    const { agent, seen, store } = door()
    const params = { sessionId: 's', path: '/srv/x', content: 'x', _meta: { sandbox: false } }
    agent({ jsonrpc: '2.0', id: 1, method: 'fs/write_text_file', params })
    await expect.poll(async () => (await store.list({})).approvals.length).toBe(1)
    await expect.poll(() => JSON.stringify(seen())).toContain('_meta.sandbox')
    expect(seen().some(({ method }) => method === 'fs/write_text_file')).toBe(false)
  },
)
