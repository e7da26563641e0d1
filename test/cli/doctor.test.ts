import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { OPERATOR } from '../../src/approval/transition.ts'
import { createGate } from '../../src/gate/gate.ts'
import { createMembership } from '../../src/server/identity/membership.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
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
