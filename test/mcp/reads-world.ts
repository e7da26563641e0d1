import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished, vi } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { type Gateway, type GatewayOptions, gateway } from './http-gateway.ts'

export const SHELF = path.resolve(import.meta.dirname, 'prompts-server.ts')
export const URI = 'db://users'
export const CONTENT = { contents: [{ uri: URI, text: 'all users' }] }
export const EFFECTS = { annotations: { readOnlyHint: false } }

export interface Served extends Gateway {
  /** What reached the servers, besides lists. */
  heard(): string[]
}

export interface Shelf extends GatewayOptions {
  /** Keys of the server's entry. */
  readonly entry?: string
  /** Keys of the file. */
  readonly rest?: string
  /** What the server says of all it has. */
  readonly says?: object
  readonly aliases?: readonly string[]
}

export async function shelf({
  entry = ', resources: confirm, prompts: confirm',
  rest = '',
  says = {},
  aliases = ['shelf'],
  ...options
}: Shelf = {}): Promise<Served> {
  const file = path.join(folder(), 'witness')
  const args = JSON.stringify([SHELF, file, JSON.stringify(says)])
  const lines = aliases.map(
    (alias) => `  - { alias: ${alias}, command: ${process.execPath}, args: ${args} ${entry} }\n`,
  )
  const at = await gateway(`version: 1\n${rest}mcp_servers:\n${lines.join('')}`, options)
  return { ...at, heard: () => linesOf(file) }
}

export function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
}

export async function client({ url, agent }: Gateway, name = 'a'): Promise<Client> {
  const one = new Client({ name: 'c', version: '1' })
  const requestInit = { headers: await agent(name) }
  await one.connect(
    new StreamableHTTPClientTransport(url, { requestInit }) as Parameters<Client['connect']>[0],
  )
  onTestFinished(() => one.close())
  return one
}

export function open({ store }: Gateway) {
  return vi.waitFor(async () => {
    const { approvals } = await store.list({ status: ['pending'] })
    if (approvals.length === 0) throw new Error('nothing is asked')
    return approvals
  })
}

/** Settled or not, it is not lost while the test looks elsewhere. */
export function kept<T>(work: Promise<T>): Promise<T> {
  work.catch(() => {})
  return work
}
