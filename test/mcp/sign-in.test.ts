import { expect, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { wireSession } from './http-wire.ts'
import { begin, call, finish, looked, type Opened, opened, world } from './sign-in-world.ts'

/** Everything that is kept, and everything that is on record, as text. */
async function keptText({ store }: Opened): Promise<string> {
  const kinds = ['mcp-sign-in', 'mcp-sign-in-attempt', 'mcp pin']
  const all = await Promise.all(kinds.map((kind) => store.records.list(kind)))
  return JSON.stringify([all, await recorded({ store })])
}

async function recorded({ store }: Pick<Opened, 'store'>) {
  const log = await store.vault.log({ content: true })
  const entries: unknown[] = []
  for await (const entry of log.entries()) entries.push(entry)
  await log.close()
  return entries
}

promise(
  ['CS-SIGNIN-1', 'CS-SIGNIN-2'],
  'an admin signs in at a server, and agents call its tools without seeing the token',
  async () => {
    const { server, here, admin, issuer } = await world()
    const agent = await here.agent('helper')
    expect(await call(here, agent, 'look')).toContain('countersign mcp login guarded')
    expect(await looked(admin)).toMatchObject({ signIn: { needed: true } })

    const begun = await begin(admin)
    expect(begun.to).toMatchObject({ issuer: issuer.origin, scopes: ['use', 'offline_access'] })
    const asked = new URL(begun.to?.url ?? '').searchParams
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('resource')).toBe(server.url)
    expect(await finish(admin, begun)).toMatchObject({ status: 200, body: { server: 'guarded' } })

    expect(await looked(admin)).toMatchObject({
      signIn: { needed: false, last: { issuer: issuer.origin, by: 'ana@example.com' } },
      tools: [{ tool: 'look' }, { tool: 'write' }],
    })
    // The server repeats the token in its answer; what agents get is without it.
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
    const token = server.calls.at(-1)?.token ?? ''
    expect(token.length).toBeGreaterThan(20)
    expect(await keptText(here)).not.toContain(token)
    expect(await keptText(here)).toContain('server.signed_in')
    expect(issuer.exchanges.join()).toContain('code_verifier')
  },
)

promise(
  ['CS-SIGNIN-1'],
  'a session that waited for the sign-in hears that tools are there',
  async () => {
    const { here, admin } = await world()
    const session = await wireSession(here, await here.agent('helper'))
    const stream = await session.listen()
    const heard = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    await session.post('tools/list')
    await finish(admin, await begin(admin))
    let said = ''
    while (!said.includes('notifications/tools/list_changed')) said += (await heard?.read())?.value
    expect(await (await session.post('tools/list')).text()).toContain('guarded_look')
  },
)

promise(
  ['CS-SIGNIN-3'],
  'a token is renewed before it ends, once for all processes on a database',
  async () => {
    // Shorter than the time before its end at which a token is renewed.
    const { here, admin, allowed, keys, server, issuer } = await world({ life: 5 })
    await finish(admin, await begin(admin))
    const other = await opened({ guarded: server.url }, allowed, { store: here.store, keys })
    const both = [here, other]
    const agents = await Promise.all(both.map((one) => one.agent('helper')))
    const said = await Promise.all(
      [0, 1, 0, 1, 0, 1].map((n) => call(both[n] as Opened, agents[n] ?? {}, 'look')),
    )
    expect(said).toEqual(Array.from({ length: 6 }, () => 'look with [secret]'))
    // One refresh token used twice would have ended all of them: the issuer looks out for that.
    const refreshed = issuer.exchanges.filter((body) => body.includes('grant_type=refresh_token'))
    const tokens = refreshed.map((body) => new URLSearchParams(body).get('refresh_token'))
    expect(tokens.length).toBeGreaterThan(0)
    expect(new Set(tokens).size).toBe(tokens.length)
    expect(await looked(admin)).toMatchObject({ signIn: { needed: false } })
  },
)

promise(
  ['CS-SIGNIN-3'],
  'a token that the server refuses is renewed, and a call that was refused is not sent again',
  async () => {
    const { here, admin, server, issuer } = await world()
    await finish(admin, await begin(admin))
    const session = await wireSession(here, await here.agent('helper'))
    expect(await session.call('guarded_look')).toBe('look with [secret]')
    const first = server.calls.at(-1)?.token ?? ''
    await (await issuer.provider.AccessToken.find(first))?.destroy()
    const before = server.calls.length
    expect(await session.call('guarded_look')).toContain('was renewed')
    expect(server.calls.slice(before).map(({ method }) => method)).toEqual(['tools/call'])
    expect(await session.call('guarded_look')).toBe('look with [secret]')
    const second = server.calls.at(-1)?.token ?? ''
    expect(second).not.toBe(first)
    // A list is asked for again: that does no harm.
    await (await issuer.provider.AccessToken.find(second))?.destroy()
    expect(await looked(admin)).toMatchObject({ signIn: { needed: false } })
  },
)

promise(
  ['CS-SIGNIN-4'],
  'a sign-in that was taken back lets nothing through and says what to do',
  async () => {
    const { here, admin, server, issuer } = await world()
    const begun = await begin(admin)
    await finish(admin, begun)
    const agent = await here.agent('helper')
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
    const token = server.calls.at(-1)?.token ?? ''
    const found = await issuer.provider.AccessToken.find(token)
    await issuer.revokeAll(found)
    expect(await call(here, agent, 'look')).toContain('took it back')
    expect(await call(here, agent, 'look')).toContain('countersign mcp login guarded')
    expect(await looked(admin)).toMatchObject({
      signIn: { needed: true, last: { lost: expect.stringContaining('took it back') } },
    })
    // Nothing is sent any more, not even the old token.
    expect(server.calls.at(-1)).toMatchObject({ token: undefined })
    await finish(admin, await begin(admin))
    expect(await call(here, agent, 'look')).toBe('look with [secret]')
  },
)

promise(
  ['CS-SIGNIN-5'],
  'a server that asks for more gets it from an admin who saw what, and not by itself',
  async () => {
    const { here, admin, issuer } = await world()
    await finish(admin, await begin(admin))
    const session = await wireSession(here, await here.agent('helper'))
    expect(await session.call('guarded_write')).toContain('it would take write')
    const asked = issuer.exchanges.length
    expect(await session.call('guarded_look')).toBe('look with [secret]')
    expect(issuer.exchanges.length).toBe(asked)
    expect(await looked(admin)).toMatchObject({ signIn: { last: { wants: ['write'] } } })
    const begun = await begin(admin)
    expect(begun.to?.scopes).toEqual(['use', 'offline_access', 'write'])
    await finish(admin, begun)
    expect(await session.call('guarded_write')).toBe('write with [secret]')
    expect((await looked(admin))?.signIn?.last?.wants).toBeUndefined()
  },
)

promise(
  ['CS-SIGNIN-6'],
  'after signing out no process sends the token, and the issuer was told',
  async () => {
    const { here, admin, server, issuer, allowed, keys } = await world()
    await finish(admin, await begin(admin))
    const other = await opened({ guarded: server.url }, allowed, { store: here.store, keys })
    const session = await wireSession(other, await other.agent('helper'))
    expect(await session.call('guarded_look')).toBe('look with [secret]')
    const token = server.calls.at(-1)?.token ?? ''
    expect((await admin.send('DELETE', '/v1/servers/guarded/sign-in')).status).toBe(204)
    expect(await issuer.provider.AccessToken.find(token)).toBeUndefined()
    await expect.poll(() => session.call('guarded_look')).toContain('it asks for a sign-in')
    expect(server.calls.at(-1)).toMatchObject({ token: undefined })
    expect(JSON.stringify(await recorded(here))).toContain('server.signed_out')
    expect((await admin.send('DELETE', '/v1/servers/guarded/sign-in')).status).toBe(404)
  },
)

promise(
  ['CS-SIGNIN-1'],
  'a server that asks for no sign-in gets none, until it asks or an admin signs in',
  async () => {
    const { here, admin, server } = await world()
    server.isOpen = true
    const helper = await here.agent('helper')
    const [early, late] = [await wireSession(here, helper), await wireSession(here, helper)]
    expect(await early.call('guarded_look')).toBe('look with undefined')
    // Nothing is looked up for a call, once it is known that there is nothing.
    const looked = vi.spyOn(here.store.records, 'get')
    expect(await early.call('guarded_look')).toBe('look with undefined')
    expect(looked.mock.calls.filter(([kind]) => kind === 'mcp-sign-in')).toEqual([])
    looked.mockRestore()
    expect(await late.call('guarded_look')).toBe('look with undefined')

    server.isOpen = false
    expect(await early.call('guarded_look')).toContain('countersign mcp login guarded')
    await finish(admin, await begin(admin))
    expect(await early.call('guarded_look')).toBe('look with [secret]')
    // The other session was never refused, and its server would take anything.
    server.isOpen = true
    await expect.poll(() => late.call('guarded_look')).toBe('look with [secret]')
  },
)

promise(['CS-SIGNIN-2'], 'the result of a call that was approved shows no token', async () => {
  const { server, here: first, admin, allowed, keys } = await world()
  await finish(admin, await begin(admin))
  const shared = { store: first.store, keys, asks: true }
  const here = await opened({ guarded: server.url }, allowed, shared)
  const approver = await here.person('bo@example.com', 'approver')
  const called = call(here, await here.agent('helper'), 'look')
  const pending = async () => (await here.store.list({ status: ['pending'] })).approvals[0]
  await expect.poll(pending).toBeDefined()
  const { id, digest } = (await pending()) ?? {}
  const decision = { verdict: 'approve', digest }
  const decided = await approver.send('POST', `/v1/approvals/${id}/decisions`, decision)
  expect(decided.status).toBe(200)
  expect(await called).toBe('look with [secret]')
  expect(server.calls.at(-1)?.token).toBeDefined()
})
