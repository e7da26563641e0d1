import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

const policy = `${POLICY}
mcp_servers:
  - { alias: files, command: x }
  - { alias: fixed, command: y, approval: true }
`
const READ = { server: 'files', tool: 'read', args: {} }

promise(
  ['CS-SWITCH-2', 'CS-SWITCH-3', 'SP-24'],
  'an admin switches over HTTP, says that lowering is meant, and takes it back',
  async () => {
    const { send, person, agent } = running({ policy })
    const [bot, approver] = [await agent('bot'), await person('ana@example.com')]
    const admin = await person('root@example.com', ['admin'])
    const path = '/v1/servers/files/tools/read/switch'
    const put = (as: typeof admin, body: object) => send(path, { as, method: 'PUT', body })
    expect((await send('/v1/calls', { as: bot, body: READ })).at('status')).toBe('pending')
    const off = await put(admin, { on: false })
    expect([off.status, off.at('error.code')]).toEqual([409, 'lowering_unconfirmed'])
    expect((await put(approver, { on: false, lowers: true })).status).toBe(403)
    expect((await put(bot, { on: false, lowers: true })).status).toBe(403)
    expect((await put(admin, { on: false, lowers: true })).body).toMatchObject({
      server: 'files',
      tool: 'read',
      on: false,
      by: { email: 'root@example.com' },
    })
    expect((await send('/v1/calls', { as: bot, body: READ })).at('status')).toBe('allowed')
    expect((await send('/v1/switches', { as: approver })).body).toMatchObject({
      switches: [
        { server: 'files', tool: 'read', on: false, changes: { from: 'confirm', to: 'allow' } },
      ],
      can: [],
    })
    const explained = await send('/v1/policy/explain', { as: bot, body: READ })
    expect(explained.body).toMatchObject({ rules: [{ source: 'operator', asks: 'allow' }] })
    expect((await send(path, { as: admin, method: 'DELETE' })).status).toBe(200)
    expect((await send(path, { as: admin, method: 'DELETE' })).status).toBe(404)
    expect((await send('/v1/calls', { as: bot, body: READ })).at('status')).toBe('pending')
  },
)

promise(['CS-SWITCH-4'], 'a whole server is switched where its file is silent', async () => {
  const { send, person } = running({ policy })
  const as = await person('root@example.com', ['admin'])
  const body = { on: true }
  expect((await send('/v1/servers/files/switch', { as, method: 'PUT', body })).status).toBe(200)
  const fixed = await send('/v1/servers/fixed/switch', { as, method: 'PUT', body })
  expect([fixed.status, fixed.at('error.code')]).toEqual([409, 'switch_fixed'])
  expect(fixed.at('error.message')).toMatch(/mcp_servers\.fixed\.approval .*countersign\.yaml:\d+/)
  const ghost = await send('/v1/servers/ghost/switch', { as, method: 'PUT', body })
  expect(ghost.status).toBe(404)
})

promise(
  ['CS-SWITCH-5'],
  'the bundle of a client names the switches, under another ETag',
  async () => {
    const { send, person, agent } = running({ policy })
    const [bot, admin] = [await agent('bot'), await person('root@example.com', ['admin'])]
    const before = await send('/v1/policy', { as: bot })
    expect(before.body).toMatchObject({ switches: {} })
    const body = { on: false, lowers: true }
    await send('/v1/servers/files/tools/read/switch', { as: admin, method: 'PUT', body })
    const headers = { 'if-none-match': before.headers.get('etag') ?? '' }
    const after = await send('/v1/policy', { as: bot, headers })
    expect(after).toMatchObject({ status: 200, body: { switches: { 'files/read': false } } })
    expect((await send('/v1/locks', { as: bot })).at('policy')).toBe(after.at('name'))
  },
)
