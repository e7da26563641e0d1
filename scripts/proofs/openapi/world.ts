import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { serve } from '@hono/node-server'
import { createClient } from '../../../src/api/client.ts'
import { createCountersign } from '../../../src/app/create-countersign.ts'
import { cookieOf } from '../../../src/cli/session.ts'
import { definePolicy } from '../../../src/policy/load/define-policy.ts'
import { memoryStore } from '../../../src/store/memory/index.ts'

/** One for each world: connections that are kept alive belong to a server that is gone. */
let port = 4799

/** A server with a person at it, and an empty folder for what is generated. */
export interface World {
  readonly url: string
  /** Of an agent. */
  readonly token: string
  readonly folder: string
  /** Puts the server's description into the folder, as `openapi.json`. */
  describe(version?: '3.0'): Promise<void>
  /** Fails with what was said unless it ends well. */
  run(command: string, args: readonly string[]): Promise<void>
  /** Runs a program that calls: its first question gets a yes, its second a no. */
  story(command: string, args: readonly string[], cwd?: string): Promise<void>
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-openapi-'))
  const own = port
  port += 1
  const url = `http://127.0.0.1:${own}`
  const countersign = createCountersign({
    policy: definePolicy({
      tools: { pay: { approval: true }, read: { approval: false } },
      governance: [{ id: 'no-wipes', match: { tool: 'wipe' }, deny: 'Nothing is wiped here.' }],
    }),
    store: memoryStore(),
    publicUrl: url,
  })
  const server = serve({ fetch: countersign.fetch, hostname: '127.0.0.1', port: own })
  await new Promise<void>((resolve) => void server.once('listening', resolve))
  assert.equal((server.address() as AddressInfo).port, own)
  const ana = await signIn(countersign, url)
  const { token } = await ana.call('POST /v1/tokens', { body: { agent: 'bot' } })

  async function run(command: string, args: readonly string[]): Promise<void> {
    try {
      await promisify(execFile)(command, [...args], { cwd: folder })
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${command} ${args.join(' ')}\n${`${stdout}\n${stderr}`.slice(-4_000)}`)
    }
  }

  return {
    url,
    token,
    folder,
    run,
    async describe(version) {
      const query = version === undefined ? '' : `?version=${version}`
      const document = await (await fetch(`${url}/openapi.json${query}`)).text()
      writeFileSync(path.join(folder, 'openapi.json'), document)
    },
    async story(command, args, cwd = '.') {
      const child = spawn(command, [...args, url, token], {
        cwd: path.join(folder, cwd),
        stdio: 'inherit',
      })
      const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve))
      await Promise.race([ended, decideNext(ana, 'approve').then(() => decideNext(ana, 'deny'))])
      assert.equal(await ended, 0)
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
      await countersign.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function signIn(countersign: ReturnType<typeof createCountersign>, url: string) {
  const link = await countersign.signInLink({
    email: 'ana@example.com',
    roles: ['viewer', 'approver', 'admin'],
  })
  const token = new URL(link).hash.replace('#signin=', '')
  const anyone = createClient({ url, headers: () => ({}) })
  const { body, headers } = await anyone.send('POST /v1/session', { body: { token } })
  const own = { cookie: cookieOf(headers), 'x-countersign-csrf': body.csrf }
  return createClient({ url, headers: () => own })
}

/** Decides the next call that waits. */
async function decideNext(ana: Awaited<ReturnType<typeof signIn>>, verdict: 'approve' | 'deny') {
  for (let tries = 0; tries < 600; tries++) {
    const { approvals } = await ana.call('GET /v1/approvals', { query: { status: ['pending'] } })
    const [one] = approvals
    if (one) {
      const { id, digest } = one
      const body = { verdict, digest, ...(verdict === 'deny' ? { reason: 'not today' } : {}) }
      await ana.call('POST /v1/approvals/:id/decisions', { params: { id }, body })
      return
    }
    await sleep(100)
  }
  throw new Error('nothing was asked')
}
