/**
 * Restate: a permission that a person may narrow before they grant it. Needs a Restate server, such
 * as `npx @restatedev/restate-server`; RESTATE_INGRESS and RESTATE_ADMIN name another address.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { type Context, createEndpointHandler, service } from '@restatedev/restate-sdk'
import { createGate, definePolicy } from 'countersign'
import { memoryStore } from 'countersign/memory'
import { relay, waitForApproval, wakeUps } from 'countersign/restate'
import { answer } from './people.ts'

const { RESTATE_INGRESS: ingress = 'http://localhost:8080' } = process.env
const { RESTATE_ADMIN: admin = 'http://localhost:9070' } = process.env

const gate = createGate({
  policy: definePolicy({ tools: { grant_role: { approval: { edit: ['role'] } } } }),
  store: memoryStore(),
  agent: 'access-bot',
  channels: [wakeUps({ url: ingress })],
})

const roles = new Map<string, string>()
const access = service({
  name: 'access',
  handlers: {
    request: async (ctx: Context, { user, role }: { user: string; role: string }) => {
      const { status, args } = await waitForApproval(ctx, gate, {
        name: 'grant_role',
        title: `${user} wants to be ${role}`,
        args: { user, role },
        timeout: '24 hours',
      })
      if (status !== 'approved') return `${user} stays as before: ${status}`
      // With what was approved, never with what was asked for.
      await ctx.run('grant', () => void roles.set(String(args.user), String(args.role)))
      return `${args.user} is ${args.role}`
    },
  },
})

const endpoint = createServer(createEndpointHandler({ services: [access, relay], logger() {} }))
await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
const { port } = endpoint.address() as AddressInfo
await post(`${admin}/deployments`, { uri: `http://127.0.0.1:${port}` })

const granted = post(`${ingress}/access/request`, { user: 'lena', role: 'owner' })
await answer(gate, 'ana', 'grant_role', {
  verdict: 'approve',
  args: { user: 'lena', role: 'reader' },
})
assert.equal(await granted, 'lena is reader')

const refused = post(`${ingress}/access/request`, { user: 'omar', role: 'owner' })
await answer(gate, 'bo', 'grant_role', { verdict: 'deny', reason: 'Not in this team' })
assert.equal(await refused, 'omar stays as before: denied')
assert.deepEqual([...roles], [['lena', 'reader']])

await gate.close()
console.log('lena is reader, and omar is not granted anything.')
process.exit(0)

async function post(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const said = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!said.ok) throw new Error(`${url}: ${said.status} ${await said.text()}`)
  return said.json()
}
