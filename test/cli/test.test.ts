import { expect, test } from 'vitest'
import { countersign, folder, GOVERNANCE, OWNER } from './countersign.ts'

const FAILING = `${OWNER}  - { name: large ones run too, call: { tool: pay, args: { amount: "500" } }, expect: allow }
  - { name: no tool, call: { args: {} }, expect: allow }
`

test('the tests of all files run against all files', async () => {
  const cwd = folder({ 'countersign.yaml': OWNER, 'gov.yaml': GOVERNANCE })
  const { code, stdout } = await countersign(['policy', 'test', '--governance', 'gov.yaml'], {
    cwd,
  })
  // With governance in force the owner's own expectation no longer holds: an absent environment is unknown.
  expect(code).toBe(1)
  expect(stdout).toContain(
    'FAIL  small payments run  countersign.yaml:14\n      expected allow, got deny\n',
  )
  expect(stdout).toContain('PASS  production is closed  gov.yaml:8\n')
  expect(stdout).toMatch(/1 passed, 1 failed\n$/)
})

test('a failure shows the values that were seen', async () => {
  const cwd = folder({ 'countersign.yaml': FAILING })
  const { code, stdout, stderr } = await countersign(['policy', 'test'], { cwd })
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toContain('PASS  small payments run')
  expect(stdout).toContain('FAIL  large ones run too')
  expect(stdout).toContain('expected allow, got review')
  expect(stdout).toContain('unknown  amount is over 100; it saw "500"')
  expect(stdout).toMatch(/FAIL {2}no tool.*\n {6}the call is refused: tool is not a name/)
  expect(stdout).toMatch(/1 passed, 2 failed\n$/)
})

test('--json prints every outcome', async () => {
  const cwd = folder({ 'countersign.yaml': FAILING })
  const { code, stdout } = await countersign(['policy', 'test', '--json'], { cwd })
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({
    passed: 1,
    failed: 2,
    tests: [
      { name: 'small payments run', passed: true },
      { passed: false, explanation: { verdict: { verdict: 'review' } } },
      { passed: false, problems: [expect.stringContaining('refused')] },
    ],
  })
})

test('a file without tests passes and says how to write one', async () => {
  const cwd = folder({ 'countersign.yaml': 'version: 1\n' })
  const { code, stdout } = await countersign(['policy', 'test'], { cwd })
  expect(code).toBe(0)
  expect(stdout).toContain('There are no tests in these files.')
  expect(stdout).toMatch(/0 passed, 0 failed\n$/)
})
