import path from 'node:path'
import { expect, test } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { promise } from '../support/promise.ts'
import { countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'

const explain = ['policy', 'explain']

test('a call is explained: verdict, people, every rule and the values it saw', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER, 'gov.yaml': GOVERNANCE })
  const args = [
    ...explain,
    '--governance',
    'gov.yaml',
    '--tool',
    'pay',
    '--args',
    '{"amount":"500"}',
  ]
  const { code, stdout, stderr } = await countersign(args, { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(`DENY  pay
  Not in production.

Rules looked at
→ review   tools.pay.approval.condition  countersign.yaml:6:5  unknown, so it counts
            asks when amount is over 100
    unknown  amount is over 100; it saw "500"
→ deny     governance.no-production  gov.yaml:3:5  unknown, so it counts
            denies every call when environment is "production"
            Not in production.
    unknown  environment is "production"; it saw missing
`)
})

test('who must decide is said in words, and a missing value is warned of', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { stdout } = await countersign([...explain, '--tool', 'pay', '--args', '{"amount":500}'], {
    cwd,
  })
  expect(stdout).toContain(
    'NEEDS REVIEW  pay\n  Pay 500 to ?\n  warning: {{tool_args.to}} has no value',
  )
  expect(stdout).toContain('  A yes from 2 of group finance, 2 different people.\n')
  expect(stdout).toContain(
    '  Decide within 2 h · A yes can be used for 15 min, or 24 h in a suspended run\n',
  )
})

test('an allowed call says that nobody is asked', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { code, stdout } = await countersign([...explain, '--tool', 'read'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain('ALLOW  read\n  Runs without asking anyone.\n')
  expect(stdout).toContain('  allow    tools.read.approval  countersign.yaml:12:5\n')
})

test('--json prints the explanation', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const call = { tool: 'search', server: 'web', agent: 'bot', risk: 'L2', args: { q: 'x' } }
  const { stdout } = await countersign([...explain, '--call', JSON.stringify(call), '--json'], {
    cwd,
  })
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: { verdict: 'confirm', reasons: [{ source: 'default', rule: 'defaults.gateway' }] },
    risk: 'L2',
    rules: [{ rule: 'defaults.gateway', asks: 'confirm' }],
    unmatched: 0,
  })
})

test('the same call is the same by parts, as JSON and on standard input', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const call = '{"tool":"pay","agent":"bot","args":{"amount":500,"to":"Lena"}}'
  const ways = await Promise.all([
    countersign([...explain, '--call', call], { cwd }),
    countersign([...explain, '--call', '-'], { cwd, stdin: call }),
    countersign(
      [...explain, '--tool', 'pay', '--agent', 'bot', '--args', '{"amount":500,"to":"Lena"}'],
      { cwd },
    ),
  ])
  const [first] = ways
  expect(first).toMatchObject({ code: 0, stderr: '' })
  for (const way of ways) expect(way).toEqual(first)
})

test('governance from the environment counts', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER, 'a.yaml': GOVERNANCE })
  const args = [...explain, '--tool', 'read', '--args', '{"environment":"production"}']
  const env = { COUNTERSIGN_GOVERNANCE: 'a.yaml,' }
  expect((await countersign(args, { cwd, env })).stdout).toContain('DENY  read')
  const missing = await countersign(args, { cwd, env: { COUNTERSIGN_GOVERNANCE: 'gone.yaml' } })
  expect(missing).toMatchObject({ code: 2, stdout: '' })
})

test('characters that hide or steer are shown by number', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const args = JSON.stringify({ amount: 500, to: 'a\u202Eb\u001b[31mc\nd' })
  const { stdout } = await countersign([...explain, '--tool', 'pay', '--args', args], { cwd })
  expect(stdout).toContain('Pay 500 to a‹U+202E›b‹U+001B›[31mc\n  d?')
  const json = await countersign([...explain, '--tool', 'pay', '--args', args, '--json'], { cwd })
  expect(json.stdout).toContain('a\\u202eb\\u001b[31mc')
  expect(JSON.parse(json.stdout).verdict.message).toBe('Pay 500 to a\u202Eb\u001b[31mc\nd?')
})

test('colour only where it is wanted', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const plain = await countersign([...explain, '--tool', 'read'], { cwd })
  expect(plain.stdout).not.toContain('\u001b')
  const colour = await countersign([...explain, '--tool', 'read'], {
    cwd,
    env: { FORCE_COLOR: '1' },
  })
  expect(colour.stdout).toContain('\u001b[1m\u001b[32mALLOW')
})

test.each([
  ['no call', [], 'usage: there is no call to explain'],
  ['two calls', ['--call', '{}', '--tool', 'x'], 'usage: --call and --tool exclude each other'],
  ['broken JSON', ['--tool', 'x', '--args', '{'], 'invalid_json: '],
  ['a key twice', ['--tool', 'x', '--args', '{"a":1,"a":2}'], 'duplicate_key: '],
  ['an unsafe number', ['--tool', 'x', '--args', '{"a":1e400}'], 'unsafe_number: '],
  ['an unknown part', ['--call', '{"tool":"x","arguments":{}}'], 'invalid_call: '],
  ['a risk that is none', ['--tool', 'x', '--risk', 'L9'], 'invalid_call: risk is not a level'],
])('%s is refused with a code and what to do', async (_, args, message) => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { code, stdout, stderr } = await countersign([...explain, ...args], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.startsWith(message)).toBe(true)
  expect(stderr.trimEnd().split('\n')).toHaveLength(2)
  expect(stderr).not.toMatch(/\n\s+at /)
})

test('a broken policy is refused with all its mistakes', async () => {
  const cwd = folder({ 'countersign.yaml': 'version: 2\ntoolz: {}\n' })
  const { code, stdout, stderr } = await countersign([...explain, '--tool', 'x'], { cwd })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(
    /^policy_invalid: the policy has 2 mistakes\n {2}countersign\.yaml:1:10: version: /,
  )
  expect(stderr).toContain('\n  countersign.yaml:2:1: toolz: ')
})

/** A program whose code says more of its tools than the file does. */
async function agentOn(database: string): Promise<void> {
  const store = await openSqlite(database)
  const text = 'version: 1\n'
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store,
    agent: 'bot',
  })
  const approval = { condition: { args_match: { to: { pattern: '@' } } } }
  gate.guard(async () => 'sent', { name: 'send', approval })
  gate.guard(async () => 'gone', { name: 'drop', approval: () => false })
  await gate[internals].idle()
  await store.close()
}

promise(
  ['CS-SDK-11'],
  'what code declared is explained like a rule of the file, once gates have registered it',
  async () => {
    const cwd = folder({ 'countersign.yaml': 'version: 1\n' })
    await agentOn(path.join(cwd, 'own.db'))
    const call = [...explain, '--tool', 'send', '--args', '{"to":"a@b.c"}']
    expect((await countersign(call, { cwd })).stdout).toContain('ALLOW  send')
    const db = ['--db', 'sqlite:own.db']
    const { stdout, stderr } = await countersign([...call, ...db], { cwd })
    expect(stderr).toBe('')
    expect(stdout).toContain('CONFIRM  send')
    expect(stdout).toContain('→ confirm  code.send.approval.condition')
    expect(stdout).toContain('yes      to matches @; it saw "a@b.c"')
    const other = await countersign([...explain, '--tool', 'drop', ...db], { cwd })
    expect(other.stdout).toContain('CONFIRM  drop')
    expect(other.stdout).toContain('a function of its own')
    const json = await countersign([...call, ...db, '--json'], { cwd })
    expect(JSON.parse(json.stdout)).toMatchObject({
      verdict: { verdict: 'confirm' },
      code: { words: { approval: { condition: { args_match: { to: { pattern: '@' } } } } } },
    })
    const none = await countersign([...explain, '--tool', 'read', ...db], { cwd })
    expect(none.stdout).toContain('No gate has registered a declaration in code')
  },
)

test('looking for declarations makes no database', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { code, stderr } = await countersign([...explain, '--tool', 'pay', '--registered'], { cwd })
  expect(code).not.toBe(0)
  expect(stderr).toContain('store_unavailable: there is no database')
})
