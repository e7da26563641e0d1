import path from 'node:path'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { expect, onTestFinished } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, chosen, connect, place, question, shownIn } from './gateway.ts'
import { CONTENT, client, EFFECTS, kept, linesOf, open, SHELF, shelf, URI } from './reads-world.ts'

promise(
  ['CS-MCP-77', 'CS-LOCK-1'],
  'a lock that is set while a read waits keeps it from being read',
  async () => {
    const at = await shelf()
    const one = await client(at)
    void kept(one.readResource({ uri: URI }))
    await open(at)
    const ana = { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] as const }
    const by = at.server.credentials.accounts.person(ana, 'signed-in')
    await at.server.gate.admin.locks.set(by, { target: { server: 'shelf' }, reason: 'looking' })
    await at.answer('approve').catch(() => {})
    await expect(one.readResource({ uri: 'db://more' })).rejects.toThrow('server shelf is locked')
    expect(at.heard()).toEqual([])
  },
)

promise(
  ['CS-MCP-78'],
  'what asks is not completed, and a yes to one server is none for another',
  async () => {
    const at = await shelf({ hold: 300 })
    const one = await client(at)
    const argument = { name: 'x', value: 'y' }
    for (const ref of [
      { type: 'ref/prompt' as const, name: 'shelf_hello' },
      { type: 'ref/resource' as const, uri: 'db://{table}' },
    ]) {
      await expect(one.complete({ ref, argument })).rejects.toMatchObject({
        code: -32_003,
        data: { 'countersign/code': 'approval_required' },
      })
    }
    await expect(one.unsubscribeResource({ uri: URI })).rejects.toThrow('approval_required')
    expect(at.heard()).toEqual([])
    const two = await shelf({ hold: 300, aliases: ['left', 'right'] })
    const both = await client(two)
    const left = kept(both.getPrompt({ name: 'left_hello' }))
    await expect(left).rejects.toThrow('pending')
    await two.answer('approve')
    await expect(both.getPrompt({ name: 'right_hello' })).rejects.toThrow('pending')
    expect(two.heard()).toEqual([])
    await both.getPrompt({ name: 'left_hello' })
    expect(two.heard()).toHaveLength(1)
    await expect(both.readResource({ uri: URI })).rejects.toThrow('both serve')
  },
)

promise(
  ['CS-MCP-77'],
  'whatever a server answers after a yes is its answer, and an error of it is its error',
  async () => {
    const at = await shelf({ hold: 5_000 })
    const one = await client(at)
    const hostile = 'db://<script>"\u202e'
    const reading = kept(one.readResource({ uri: hostile }))
    await at.answer('approve')
    expect((await reading).contents).toEqual([{ uri: hostile, text: 'all users' }])
    const failing = kept(one.readResource({ uri: 'db://broken' }))
    await at.answer('approve')
    await expect(failing).rejects.toMatchObject({ code: -32_099 })
  },
)

promise.each(
  ['CS-MCP-79'],
  'a server that declares effects makes reading ask, and can only tighten',
  [
    ['readOnlyHint: false', '', '', EFFECTS, 'pending'],
    ['in _meta', '', '', { _meta: { destructiveHint: true } }, 'pending'],
    ['a value that is no boolean', '', '', { annotations: { readOnlyHint: 'no' } }, 'pending'],
    ['the file says allow', ', resources: allow, prompts: allow', '', EFFECTS, 'read'],
    ['gateway: allow', '', 'defaults: { gateway: allow }\n', EFFECTS, 'read'],
    ['gateway: deny', '', 'defaults: { gateway: deny }\n', EFFECTS, 'denied_by_policy'],
    [
      'a declaration does not lower',
      ', resources: confirm, prompts: confirm',
      '',
      { annotations: { readOnlyHint: true } },
      'pending',
    ],
    ['nothing declared', '', '', {}, 'read'],
    [
      'governance that asks about the method',
      ', resources: allow, prompts: allow',
      'governance: [{ id: a, match: { tool: resources/read }, approval: true }, { id: b, match: { tool: "prompts/*" }, approval: true }]\n',
      {},
      'pending',
    ],
    [
      'governance that asks about everything',
      '',
      'governance: [{ id: all, match: { server: "*" }, approval: { approvers: [ana@example.com] } }]\n',
      {},
      'pending',
    ],
    [
      'governance that asks about risk',
      '',
      'governance: [{ id: some, match: { risk: { gte: L1 } }, approval: true }]\n',
      {},
      'read',
    ],
    [
      'governance that denies what has effects',
      ', resources: allow, prompts: allow',
      'governance: [{ id: some, match: { risk: { gte: L2 } }, deny: Not these }]\n',
      EFFECTS,
      'denied_by_policy',
    ],
  ] as const,
  async (_, entry, rest, says, ends) => {
    const at = await shelf({ entry, rest, says, hold: 300 })
    const one = await client(at)
    for (const ask of [
      () => one.readResource({ uri: URI }),
      () => one.readResource({ uri: 'db://orders' }),
      () => one.getPrompt({ name: 'shelf_hello' }),
    ]) {
      if (ends === 'read') await ask()
      else await expect(ask()).rejects.toThrow(ends)
    }
    expect(at.heard()).toHaveLength(ends === 'read' ? 3 : 0)
  },
)

promise.each(
  ['CS-MCP-79'],
  'a list that fails hides no effects, and one that a server does not have declares none',
  [
    ['resources/list', -32_603, 'pending'],
    ['resources/templates/list', -32_000, 'pending'],
    ['resources/list', -32_601, 'read'],
    ['resources/templates/list', -32_601, 'read'],
  ] as const,
  async (list, code, ends) => {
    const at = await shelf({ entry: '', says: { broken: { [list]: code } }, hold: 300 })
    const one = await client(at)
    if (ends === 'pending') {
      await expect(one.readResource({ uri: URI })).rejects.toThrow(ends)
      expect(at.heard()).toEqual([])
      // The list still fails: that is no other definition than the one that was approved.
      await at.answer('approve')
    }
    expect(await one.readResource({ uri: URI })).toEqual(CONTENT)
  },
)

promise(
  ['CS-MCP-79', 'CS-LOCK-1'],
  'a lock that is set while a server is asked for its lists holds for the read',
  async () => {
    const at = await shelf({ entry: '', says: { slow: 1_000 } })
    const one = await client(at)
    const reading = kept(one.readResource({ uri: URI }))
    await new Promise((done) => setTimeout(done, 500))
    const ana = { issuer: 'local', subject: 'ana', roles: ['approver', 'admin'] as const }
    const by = at.server.credentials.accounts.person(ana, 'signed-in')
    await at.server.gate.admin.locks.set(by, { target: { server: 'shelf' }, reason: 'looking' })
    await expect(reading).rejects.toThrow('server shelf is locked')
    expect(at.heard()).toEqual([])
  },
)

promise.each(
  ['CS-MCP-79'],
  'another spelling of an address with effects asks as well',
  [
    ['DB://users'],
    [' db://users'],
    ['db:\n//users'],
    ['db://%75sers'],
    ['db://users/'],
    ['db://users#x'],
    ['other://users'],
  ] as const,
  async (uri) => {
    const at = await shelf({ entry: '', says: { ...EFFECTS, templates: {} }, hold: 300 })
    const one = await client(at)
    await one.readResource({ uri: 'db://orders' })
    expect(at.heard()).toHaveLength(1)
    await expect(one.readResource({ uri })).rejects.toThrow('pending')
    expect(at.heard()).toHaveLength(1)
  },
)

promise(
  ['CS-MCP-77'],
  'a client of the newer era waits by its own way, and gets what was read',
  async () => {
    const at = await shelf()
    const modern = new ModernClient(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const headers = await at.agent('a')
    await modern.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => modern.close())
    const reading = kept(modern.readResource({ uri: URI }))
    await at.answer('approve')
    expect(await reading).toMatchObject(CONTENT)
    const denied = kept(modern.getPrompt({ name: 'shelf_hello' }))
    await at.answer('deny')
    await expect(denied).rejects.toMatchObject({ code: -32_003 })
    expect(at.heard()).toEqual([`resources/read ${JSON.stringify({ uri: URI })}`])
  },
)

promise(
  ['CS-MCP-77', 'CS-MCP-79'],
  'on a pipe the client shows the address, and another process answers',
  async () => {
    const at = place('version: 1\n')
    const witness = path.join(at.cwd, 'heard')
    const command = [process.execPath, SHELF, witness, JSON.stringify(EFFECTS)]
    const shown: string[] = []
    const piped = await connect(at, {
      command,
      args: ['--name', 'shelf'],
      onElicit: ({ message }) => {
        shown.push(message)
        return chosen('approve')
      },
    })
    expect(await piped.client.readResource({ uri: URI })).toEqual(CONTENT)
    expect(shownIn(shown[0] ?? '', 'uri')).toBe(JSON.stringify(URI))
    expect(shown[0]).toContain('Tool: resources/read of server shelf')
    const plain = await connect(at, { command, args: ['--name', 'shelf'] })
    const reading = kept(plain.client.readResource({ uri: 'db://orders' }))
    expect((await question(at)).call.tool).toBe('resources/read')
    await answer(at, 'deny')
    await expect(reading).rejects.toMatchObject({ code: -32_003 })
    expect(linesOf(witness)).toHaveLength(1)
  },
)
