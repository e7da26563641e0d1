import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import {
  type ClientCapabilities,
  type ElicitRequest,
  ElicitRequestSchema,
  type ElicitResult,
} from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished, vi } from 'vitest'
import { setAccount } from '../../src/server/identity/people.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { BIN, cleanEnv, folder } from '../cli/countersign.ts'
import { program } from '../support/make.ts'

export const BANK = await program(path.join(import.meta.dirname, 'bank-server.ts'), { whole: true })

export interface Place {
  readonly cwd: string
  /** What the foreign server really ran. */
  witnessed(): string[]
  /** The database, as another program sees it. */
  store(): Promise<Store>
}

export function place(policy?: string): Place {
  const cwd = folder(policy === undefined ? {} : { 'countersign.yaml': policy })
  const file = path.join(cwd, 'witness')
  let opened: Promise<Store> | undefined
  return {
    cwd,
    witnessed: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
    store() {
      opened ??= Promise.resolve(openSqlite(path.join(cwd, '.countersign/approvals.db'), {})).then(
        (store) => {
          onTestFinished(() => store.close())
          return store
        },
      )
      return opened
    },
  }
}

export interface Connected {
  readonly client: Client
  readonly stderr: () => string
  /** Every request and notification that reached the client, whether it could answer or not. */
  readonly received: readonly { readonly method: string; readonly params?: unknown }[]
}

export interface ConnectOptions {
  readonly args?: readonly string[]
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Answers questions that are put to the client's user. */
  readonly onElicit?: (params: ElicitRequest['params']) => Promise<ElicitResult>
  /** What it says it can show, where it can show anything. */
  readonly elicitation?: ClientCapabilities['elicitation']
}

/** `countersign mcp -- …` behind a client of the older SDK, as Claude Desktop starts it. */
export async function connect({ cwd }: Place, options: ConnectOptions = {}): Promise<Connected> {
  const { args = [], command = [process.execPath, BANK], env = {}, onElicit } = options
  const { elicitation = {} } = options
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [BIN, 'mcp', ...args, ...(command.length > 0 ? ['--', ...command] : [])],
    cwd,
    env: {
      ...(cleanEnv() as Record<string, string>),
      HOME: cwd,
      WITNESS: path.join(cwd, 'witness'),
      ...env,
    },
    stderr: 'pipe',
  })
  let stderr = ''
  transport.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const capabilities = onElicit ? { elicitation } : {}
  const client = new Client({ name: 'a-test', version: '1' }, { capabilities })
  if (onElicit) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => onElicit(params))
  }
  await client.connect(transport)
  onTestFinished(() => client.close())
  const received: { method: string; params?: unknown }[] = []
  const receive = transport.onmessage?.bind(transport)
  transport.onmessage = (message) => {
    if ('method' in message) received.push(message)
    receive?.(message)
  }
  return { client, stderr: () => stderr, received }
}

/** What a person needs to read a question; answers that come sooner do not count. */
const READING_MS = 900

/** Somebody at the client who reads the form before they choose. */
export async function chosen(
  decision: 'approve' | 'deny',
  content: Record<string, string> = { decision },
): Promise<ElicitResult> {
  await pause(READING_MS)
  return { action: 'accept', content }
}

/** Somebody at the client who reads the question and closes it one way or the other. */
export async function closed(action: 'decline' | 'cancel'): Promise<ElicitResult> {
  await pause(READING_MS)
  return { action }
}

/** The one line of a question that says what the argument at this path is. */
export function shownIn(message: string, path: string): string | undefined {
  const rows = message.replaceAll('\n↳ ', '').split('\n')
  return rows.find((row) => row.startsWith(`  ${path} = `))?.slice(path.length + 5)
}

export function textOf(result: unknown): string {
  const { content } = result as { content: { text?: string }[] }
  return content.map(({ text }) => text ?? '').join('\n')
}

/** The one question that is open, once there is one. */
export async function question({ store }: Place) {
  const opened = await store()
  return vi.waitFor(
    async () => {
      const { approvals } = await opened.list({ status: ['pending'] })
      const [approval] = approvals
      if (!approval) throw new Error('nothing is asked')
      return approval
    },
    { timeout: 20_000, interval: 50 },
  )
}

/** What somebody at the inbox says, by the way the inbox says it. */
export async function answer(at: Place, verdict: 'approve' | 'deny'): Promise<string> {
  const { id, digest } = await question(at)
  const store = await at.store()
  const ana = { issuer: 'local', subject: 'ana', roles: ['approver'] as const }
  await setAccount(store.records, ana)
  await store.apply(id, {
    type: 'decide',
    commandId: crypto.randomUUID(),
    by: { ...ana, groups: [], assurance: 'signed-in' },
    verdict,
    seen: digest,
  })
  return id
}
