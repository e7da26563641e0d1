import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { OPERATOR } from '../../src/approval/transition.ts'
import { createGate } from '../../src/gate/gate.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { createStudio } from '../../src/studio/studio.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'
import { start } from './started.ts'

interface Report {
  readonly ok: boolean
  readonly findings: readonly { check: string; level: string; says: string; fix?: string }[]
  readonly limits: readonly string[]
}

async function examine(cwd: string, env: Record<string, string> = {}, args: string[] = []) {
  const options = { cwd, env: { HOME: cwd, ...env } }
  const { code, stdout } = await countersign(['doctor', '--json', ...args], options)
  const report = JSON.parse(stdout) as Report
  const at = (level: string) =>
    report.findings.filter((one) => one.level === level).map(({ says }) => says)
  return { code, report, at }
}

promise(
  ['CS-SERVE-5'],
  'a healthy server has nothing to mend, and the limits are said',
  async () => {
    const cwd = folder({ 'countersign.yaml': OWNER, 'company.yaml': GOVERNANCE })
    await start(cwd, ['--governance', 'company.yaml'])
    const { code, report, at } = await examine(cwd, {}, ['--governance', 'company.yaml'])
    expect({ code, problems: at('problem') }).toEqual({ code: 0, problems: [] })
    expect(report.ok).toBe(true)
    expect(at('ok').join('\n')).toMatch(
      /only you can enter[\s\S]*can be written[\s\S]*answer[\s\S]*in force/,
    )
    expect(at('warning')).toEqual(['no member of group finance has signed in yet'])
    expect(report.limits.join()).toContain('cooperative')
  },
)

promise(['CS-SERVE-5'], 'what is wrong is found, said with what to do, and fails', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { child, ended } = await start(cwd)
  writeFileSync(path.join(cwd, 'countersign.yaml'), OWNER.replace('approval: false', 'risk: L4'))
  expect((await examine(cwd)).at('warning')).toContain('what is on disk is not in force')

  // Ended without a word, its folder opened to everybody, its policy broken.
  child.kill('SIGKILL')
  await ended
  chmodSync(path.join(cwd, '.countersign'), 0o755)
  chmodSync(path.join(cwd, '.countersign', 'approvals.db'), 0o644)
  writeFileSync(path.join(cwd, '.countersign', 'head.json'), '{')
  writeFileSync(path.join(cwd, 'countersign.yaml'), `${OWNER}toolz: {}\n`)
  const { code, report, at } = await examine(cwd, { COUNTERSIGN_PUBLIC_URL: 'http://plain' })
  expect(code).toBe(1)
  const problems = at('problem').join('\n')
  expect(problems).toContain('others on this machine can read')
  expect(problems).toContain('toolz')
  expect(problems).toContain('does not answer')
  expect(problems).toContain('COUNTERSIGN_PUBLIC_URL')
  expect(at('warning').join()).toContain('the next start voids every unused yes')
  // Opening it found the broken head.json, and says what that meant.
  expect(at('note').join()).toContain('head.json that cannot be read')
  for (const { level, fix } of report.findings) {
    if (level === 'problem' || level === 'warning') expect(fix).toMatch(/\S/)
  }
})

promise(
  ['CS-SERVE-5'],
  'undelivered notices and unanswerable questions are found, with what to do',
  async () => {
    const cwd = folder({ 'countersign.yaml': OWNER })
    const store = await openSqlite(path.join(cwd, 'approvals.db'))
    const accounts = [
      {
        issuer: 'local',
        subject: 'ana@example.com',
        email: 'ana@example.com',
        emailVerified: true,
      },
      { issuer: 'local', subject: 'bo@example.com', email: 'bo@example.com', emailVerified: true },
    ]
    const membership = createMembership(store)
    for (const account of accounts) {
      await membership.set(OPERATOR, { ...account, roles: ['approver', 'admin'] })
    }
    const gate = createGate({ policy: policyOf(OWNER), store, agent: 'bot' })
    for (const channel of ['hook', 'other']) await store.outbox.open(channel)
    const asked = await gate.check({ tool: 'pay', args: { amount: 500, to: 'Lena' } })
    const id = 'approval' in asked ? asked.approval?.id : undefined
    const env = { COUNTERSIGN_DB: `sqlite:${path.join(cwd, 'approvals.db')}` }
    const healthy = await examine(cwd, env)
    expect(healthy.at('ok')).toContain('every waiting question can still be approved')
    expect(healthy.at('ok')).toContain('no notice is stuck or failing')

    const [hook] = await store.outbox.take(['hook'], { limit: 1, lease: 1_000 })
    const [other] = await store.outbox.take(['other'], { limit: 1, lease: 1_000 })
    if (!hook || !other) throw new Error('nobody is to be told')
    await store.outbox.settle(hook, { end: 'stuck', problem: 'it answered 500' })
    await store.outbox.settle(other, { end: 'later', after: 60_000, problem: 'it timed out' })
    // Two of finance must say yes, and one of the two is gone.
    await membership.remove(OPERATOR, accountKey({ issuer: 'local', subject: 'bo@example.com' }))
    const { code, report, at } = await examine(cwd, env)
    expect(code).toBe(1)
    expect(at('problem')).toEqual([
      '1 notice could not be sent and will not be tried again; the oldest, for hook: it answered 500',
      `the remaining approvers cannot approve 1 waiting question: ${id} (tools.pay.approval.condition)`,
    ])
    expect(at('warning')).toContain(
      '1 notice failed and will be tried again; the oldest, for other: it timed out',
    )
    const fixes = report.findings.flatMap(({ level, fix }) => (level === 'problem' ? [fix] : []))
    expect(fixes.join()).toMatch(/notices --retry[\s\S]*countersign people/)
    await gate.close()
    await store.close()
  },
)

promise(['CS-SERVE-5'], 'looking where nothing is makes nothing', async () => {
  const cwd = folder()
  const { code, at } = await examine(cwd)
  expect(code).toBe(0)
  expect(at('note').join()).toContain('does not exist yet')
  const again = await examine(cwd)
  expect(again.at('note').join()).toContain('does not exist yet')
})

const CAN = { net: [] as string[], write: false, secrets: [], kv: false, irreversible: false }
const OTTO = { issuer: 'local', subject: 'otto@example.com' }

promise(
  ['CS-STUDIO-16', 'CS-STUDIO-6'],
  'a published tool whose stored test no longer passes is found, with what to do',
  async () => {
    const cwd = folder({ 'countersign.yaml': OWNER })
    const bank = await rates()
    const file = path.join(cwd, 'approvals.db')
    const store = await openSqlite(file)
    const studio = createStudio({ store, allowHosts: [bank.host] })
    const asks = `(await (await fetch('http://${bank.host}/rate')).json()).rate`
    const tool = (code: string, can: Partial<typeof CAN> = {}) => ({
      ...{ description: 'Tells a rate.', language: 'javascript' as const, inputSchema },
      source: `export default async (_, { fetch }) => (${code})`,
      capabilities: { ...CAN, ...can },
      hitl: { mode: 'REQUIRED' as const },
      test: { args: {}, expect: 7 },
    })
    const inputSchema = { type: 'object' as const }
    const net = [bank.host]
    for (const [name, spec] of Object.entries({
      seven: tool('7'),
      rate: tool(asks, { net }),
      pay: tool(asks, { net, write: true }),
      retired: tool(asks, { net }),
    })) {
      const { revision } = await studio.saveDraft(name, spec, OTTO, 'absent')
      expect((await studio.publish(name, OTTO, { revision })).why).toBeUndefined()
    }
    await studio.unpublish('retired', OTTO)
    const env = { COUNTERSIGN_DB: `sqlite:${file}` }
    const look = async (...args: string[]) => {
      const { code, report } = await examine(cwd, env, ['--mcp-allow', bank.host, ...args])
      const about = report.findings.filter(({ check }) => check === 'studio')
      return { code, about: about.map(({ level, says }) => [level, says]), fixes: about }
    }
    const skipped = ['note', `the test of pay did not run: it may change things at ${bank.host}`]
    const asked = bank.asked()
    expect((await look()).about).toEqual([
      ['ok', '2 published tools pass their stored test'],
      skipped,
    ])
    expect(bank.asked()).toBe(asked + 1)

    bank.answer(8)
    const { code, about, fixes } = await look()
    expect(code).toBe(1)
    const says = 'its test gave another result than expected'
    expect(about).toEqual([
      ['problem', `rate, version 1: ${says}`],
      ['ok', '1 published tool passes its stored test'],
      skipped,
    ])
    expect(fixes[0]?.fix).toContain('Open rate under Studio')
    expect((await look('--tools', 'all')).about).toContainEqual([
      'problem',
      `pay, version 1: ${says}`,
    ])
    const before = bank.asked()
    expect((await look('--tools', 'none')).about).toEqual([
      ['note', '3 published tools, not tested'],
    ])
    expect(bank.asked()).toBe(before)
    const { entries } = await store.eventsSince('start', 500)
    const tried = entries.map(({ event }) => event).filter(({ type }) => type === 'studio.tried')
    expect(tried.at(-1)).toMatchObject({ by: { system: 'operator' }, facts: { hosts: net } })
    studio.close()
    await store.close()
  },
  120_000,
)

/** A host that tells one number. */
async function rates() {
  let [rate, asked] = [7, 0]
  const server = createServer((_, response) => {
    asked += 1
    response.end(JSON.stringify({ rate }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    answer(next: number) {
      rate = next
    },
  }
}
