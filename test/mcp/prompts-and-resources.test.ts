import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  ElicitRequestSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished } from 'vitest'
import type { LockTarget } from '../../src/approval/locks/lock.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { type Gateway, gateway } from './http-gateway.ts'

const SHELF = path.resolve(import.meta.dirname, 'prompts-server.ts')

async function shelves(...aliases: string[]) {
  const file = path.join(folder(), 'witness')
  const lines = aliases.map(
    (alias) => `  - { alias: ${alias}, command: ${process.execPath}, args: [${SHELF}, ${file}] }\n`,
  )
  const at = await gateway(`version: 1\nmcp_servers:\n${lines.join('')}`)
  const heard = () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [])
  return { ...at, file, heard }
}

async function client({ url, agent }: Gateway) {
  const one = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })
  const told: string[] = []
  one.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.push(params.uri)
  })
  one.setRequestHandler(ElicitRequestSchema, () => {
    told.push('asked')
    return { action: 'accept' as const, content: {} }
  })
  const requestInit = { headers: await agent('a') }
  await one.connect(
    new StreamableHTTPClientTransport(url, { requestInit }) as Parameters<Client['connect']>[0],
  )
  onTestFinished(() => one.close())
  return { one, told }
}

function lock({ server }: Gateway, target: LockTarget) {
  const ana = { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] as const }
  const by = server.credentials.accounts.person(ana, 'signed-in')
  return server.gate.admin.locks.set(by, { target, reason: 'we are looking' })
}

promise.each(
  ['CS-MCP-52'],
  'a resource that several servers serve is read from none of them',
  [
    ['an address both list', 'db://users'],
    ['an address that fits templates of both', 'db://orders/1'],
  ] as const,
  async (_, uri) => {
    const at = await shelves('left', 'right')
    const { one } = await client(at)
    const both = /servers left and right both serve .*nothing says which is meant/
    await expect(one.readResource({ uri })).rejects.toThrow(both)
    await expect(one.subscribeResource({ uri })).rejects.toThrow(both)
    const ref = { type: 'ref/resource' as const, uri }
    await expect(one.complete({ ref, argument: { name: 'x', value: 'y' } })).rejects.toThrow(both)
    expect(at.heard()).toEqual([])
  },
)

promise(
  ['CS-MCP-52'],
  'SEP-2164: a resource that no server serves is named in the refusal',
  async () => {
    const at = await shelves('left', 'right')
    const { one } = await client(at)
    const uri = 'other://nothing'
    await expect(one.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } })
    expect(at.heard()).toEqual([])
  },
)

promise(
  ['CS-MCP-37', 'CS-LOCK-1'],
  'what a locked server says reaches no client, and what it asks is refused',
  async () => {
    const at = await shelves('shelf')
    writeFileSync(`${at.file}.talks`, '')
    const { one, told } = await client(at)
    const answers = () => at.heard().filter((line) => line.startsWith('answered'))
    await one.setLoggingLevel('debug')
    appendFileSync(`${at.file}.talks`, '1')
    await expect.poll(answers, { timeout: 10_000 }).toEqual(['answered yes'])
    expect(told).toEqual(['db://users', 'asked'])
    await lock(at, { server: 'shelf' })
    appendFileSync(`${at.file}.talks`, '2')
    await expect.poll(answers, { timeout: 10_000 }).toEqual(['answered yes', 'answered no'])
    // Whatever was sent before this answer has arrived with it.
    await one.ping()
    expect(told).toEqual(['db://users', 'asked'])
  },
)

promise(
  ['CS-MCP-37'],
  'under a lock a client can still end what it subscribed to, and nothing else',
  async () => {
    const at = await shelves('shelf')
    const { one } = await client(at)
    await one.subscribeResource({ uri: 'db://users' })
    await lock(at, { everything: true })
    const count = at.heard().length
    await one.unsubscribeResource({ uri: 'db://users' })
    expect(at.heard().slice(count)).toEqual(['resources/unsubscribe {"uri":"db://users"}'])
    await expect(one.unsubscribeResource({ uri: 'db://users' })).rejects.toThrow(/locked/)
    expect(at.heard()).toHaveLength(count + 1)
  },
)
