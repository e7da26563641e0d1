import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { BANK } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { wireSession } from './http-wire.ts'

const PAY = ['bank_pay', { to: 'Lena', amount: 5 }] as const

function restartable() {
  const witness = path.join(folder(), 'witness')
  const [store, keys] = [memoryStore(), memoryKeys()]
  const start = (settings = '') =>
    gateway(
      `version: 1\nmcp_servers:\n  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} ${settings} }, approval: true }\n`,
      { store, keys, hold: 0 },
    )
  const ran = () => (existsSync(witness) ? readFileSync(witness, 'utf8') : '')
  return { start, ran }
}

type Headers = Readonly<Record<string, string>>

const pay = async (at: Gateway, headers: Headers, [name, args]: readonly [string, object] = PAY) =>
  (await wireSession(at, headers)).call(name, args)

promise(
  ['CS-MCP-53'],
  'a yes given across a restart is used by the same call of the same token, once',
  async () => {
    const { start, ran } = restartable()
    const before = await start()
    const headers = await before.agent('a')
    expect(await pay(before, headers)).toContain('waits for a person')
    await before.stop()
    const after = await start()
    await after.answer('approve')
    expect(ran()).toBe('')
    expect(await pay(after, headers)).toBe('paid 5 to Lena')
    expect(ran()).toBe('pay 5 Lena\n')
    expect(await pay(after, headers)).toContain('waits for a person')
  },
)

promise.each(
  ['CS-MCP-53'],
  'a yes given across a restart is of no use to',
  [
    ['another token of the same agent', true, PAY, ''],
    ['other arguments', false, ['bank_pay', { to: 'Lena', amount: 6 }], ''],
    ['a server with other settings', false, PAY, ', BANK_PROFILE: production'],
  ] as [string, boolean, readonly [string, object], string][],
  async (_, isOther, call, settings) => {
    const { start, ran } = restartable()
    const before = await start()
    const headers = await before.agent('a')
    expect(await pay(before, headers)).toContain('waits for a person')
    await before.answer('approve')
    await before.stop()
    const after = await start(settings)
    const own = isOther ? await after.agent('a') : headers
    expect(await pay(after, own, call)).toContain('waits for a person')
    expect(ran()).toBe('')
  },
)

promise(
  ['CS-MCP-53'],
  'a session beside another has a run of its own: a yes of the other stays the other’s',
  async () => {
    const { start, ran } = restartable()
    const at = await start()
    const headers = await at.agent('a')
    const first = await wireSession(at, headers)
    expect(await first.call(...PAY)).toContain('waits for a person')
    await at.answer('approve')
    expect(await pay(at, headers)).toContain('waits for a person')
    expect(ran()).toBe('')
    expect(await first.call(...PAY)).toBe('paid 5 to Lena')
  },
)

promise.each(
  ['CS-MCP-53'],
  'a yes in a file that another server opens, whose policy',
  [
    ['is the same', 'approval: true', /^paid 5 to Lena$/],
    ['asks others', 'approval: { approvers: [boss@example.com] }', /lost its approval/],
    ['leaves the tool out', 'approval: true, allowed_tools: [look]', /not in allowed_tools/],
  ] as [string, string, RegExp][],
  async (_, rule, said) => {
    const cwd = folder()
    const witness = path.join(cwd, 'witness')
    const keys = memoryKeys()
    const start = async (asks: string) =>
      gateway(
        `version: 1\nmcp_servers:\n  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} }, ${asks} }\n`,
        { store: await openSqlite(path.join(cwd, 'approvals.db'), {}), keys, hold: 0 },
      )
    const before = await start('approval: true')
    const headers = await before.agent('a')
    expect(await pay(before, headers)).toContain('waits for a person')
    await before.answer('approve')
    await before.stop()
    await before.store.close()
    const after = await start(rule)
    expect(await pay(after, headers)).toMatch(said)
    expect(existsSync(witness)).toBe(said.test('paid 5 to Lena'))
  },
)
