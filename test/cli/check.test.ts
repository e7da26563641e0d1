import { expect, test } from 'vitest'
import { countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'

const BROKEN = `version: 1
tools:
  pay:
    aproval: true
  read:
    approval: { condition: { args_match: { amount: { above: 3 } } } }
`

const EXEMPT = 'version: 1\ntools: { wipe: { risk: L4, approval: false } }\n'

test('a good policy passes and says what is in it', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER })
  const { code, stdout, stderr } = await countersign(['policy', 'check'], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    '0 mistakes, 0 warnings in 1 file\n2 tools, 0 servers, 0 agents, 0 governance rules, 1 test\n',
  )
})

test('the nearest countersign.yaml above is found', async () => {
  const cwd = folder({ 'countersign.yaml': BROKEN, 'deep/er/x': '' })
  const { code, stdout } = await countersign(['policy', 'check'], { cwd: `${cwd}/deep/er` })
  expect(code).toBe(1)
  expect(stdout).toContain('../../countersign.yaml:4:5: tools.pay.aproval:')
})

test('all mistakes of all files are shown at once, each with its place', async () => {
  const cwd = folder({ 'owner.yaml': BROKEN, 'gov.yaml': 'version: 1\ntools: {}\n' })
  const { code, stdout, stderr } = await countersign(
    ['policy', 'check', 'owner.yaml', 'gov.yaml'],
    {
      cwd,
    },
  )
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toMatch(/^owner\.yaml:4:5: tools\.pay\.aproval: .*approval/m)
  expect(stdout).toMatch(/^owner\.yaml:6:\d+: tools\.read\.approval\.condition.*above/m)
  expect(stdout).toMatch(/^gov\.yaml:2:1: tools: /m)
  expect(stdout).toContain('3 mistakes, 0 warnings in 2 files')
})

test('mistakes that only the files together have are found', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER, 'a.yaml': GOVERNANCE, 'b.yaml': GOVERNANCE })
  const args = ['policy', 'check', '--governance', 'a.yaml', '--governance', 'b.yaml']
  const { code, stdout } = await countersign(args, { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('b.yaml:3:5: governance.no-production: ')
})

test('warnings fail the check only when it is strict', async () => {
  const cwd = folder({ 'countersign.yaml': EXEMPT })
  const relaxed = await countersign(['policy', 'check'], { cwd })
  expect(relaxed.code).toBe(0)
  expect(relaxed.stdout).toMatch(/^countersign\.yaml:2:\d+: warning: tools\.wipe: .*L4/m)
  const strict = await countersign(['policy', 'check', '--strict'], { cwd })
  expect(strict.code).toBe(1)
})

test('a group that another file defines is no warning', async () => {
  const rule = '{ id: two, approval: { quorum: [{ group: finance, n: 1 }] } }'
  const cwd = folder({
    'countersign.yaml': OWNER,
    'gov.yaml': `version: 1\ngovernance: [${rule}]\n`,
  })
  const args = ['policy', 'check', '--strict', '--governance', 'gov.yaml']
  expect(await countersign(args, { cwd })).toMatchObject({ code: 0 })
})

test('--json prints the same for programs', async () => {
  const cwd = folder({ 'countersign.yaml': BROKEN, 'exempt.yaml': EXEMPT })
  const broken = await countersign(['policy', 'check', '--json'], { cwd })
  expect(broken.code).toBe(1)
  const answer = JSON.parse(broken.stdout)
  expect(answer).toMatchObject({ ok: false, warnings: [] })
  expect(answer.mistakes[0]).toMatchObject({
    file: 'countersign.yaml',
    line: 4,
    column: 5,
    path: 'tools.pay.aproval',
    kind: 'unknown_key',
  })
  const exempt = await countersign(['policy', 'check', 'exempt.yaml', '--strict', '--json'], {
    cwd,
  })
  expect(exempt.code).toBe(1)
  expect(JSON.parse(exempt.stdout)).toMatchObject({
    ok: false,
    mistakes: [],
    warnings: [{ kind: 'exempt_high_risk' }],
  })
})

test.each([
  ['a file that is not there', ['nope.yaml'], 'policy_unreadable: nope.yaml cannot be read:'],
  ['a folder', ['.'], 'policy_unreadable: . cannot be read: it is a folder'],
  ['no file at all', [], 'policy_unreadable: there is no countersign.yaml'],
  ['a device without an end', ['/dev/zero'], ''],
])('%s is refused', async (_, files, message) => {
  const cwd = folder()
  const { code, stdout, stderr } = await countersign(['policy', 'check', ...files], { cwd })
  expect(code).toBe(message === '' ? 1 : 2)
  if (message === '') expect(stdout).toMatch(/^\/dev\/zero:1:1: /)
  else {
    expect(stdout).toBe('')
    expect(stderr.startsWith(message)).toBe(true)
    expect(stderr.trimEnd().split('\n')).toHaveLength(2)
  }
})

test('text of a file never reaches the terminal as control characters', async () => {
  const cwd = folder({ 'countersign.yaml': 'version: 1\n"to\\e[31mols\\u202E": 1\n' })
  const { stdout } = await countersign(['policy', 'check'], { cwd })
  expect(stdout).toMatch(/^countersign\.yaml:2:1: /)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
})
