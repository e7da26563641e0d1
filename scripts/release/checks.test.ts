import { expect, test } from 'vitest'
import { auditExitCode, auditResult, newestVersion, unready } from './checks.ts'

const READY = {
  branch: 'main',
  status: '',
  version: '1.2.3',
  changelog: '# Changelog\n\n## 1.2.3 – 2026-11-18\n\n## 1.2.2\n',
  chart: 'name: countersign\nversion: 1.2.3\n',
}

test('a clean main whose version has its heading is ready', () => {
  expect(unready(READY)).toEqual([])
})

test.each([
  ['another branch', { branch: 'w-ops' }, 'the branch is w-ops, not main'],
  ['no branch', { branch: '' }, 'the branch is none, not main'],
  ['changed files', { status: ' M a.ts\n?? b.ts\n' }, '2 files are not committed'],
  [
    'changes that have no version',
    { changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.3\n' },
    'CHANGELOG.md begins with no version, and package.json has 1.2.3',
  ],
  [
    'an older heading',
    { changelog: '## 1.2.2\n' },
    'CHANGELOG.md begins with 1.2.2, and package.json has 1.2.3',
  ],
  ['another chart', { chart: 'version: 1.2.30\n' }, 'Chart.yaml has another version'],
])('%s is not released', (_, change, reason) => {
  expect(unready({ ...READY, ...change })).toEqual([reason])
})

test('the newest version of a changelog is its first heading', () => {
  expect(newestVersion('## 2.0.0-rc.1\n## 1.0.0')).toBe('2.0.0-rc.1')
  expect(newestVersion('# Nothing')).toBeUndefined()
})

test('an audit fails for high and critical ones, and where nothing is known a release does', () => {
  const report = (vulnerabilities: object) =>
    auditResult(JSON.stringify({ metadata: { vulnerabilities } }))
  const code = (audited: ReturnType<typeof auditResult>, isRelease = false) =>
    auditExitCode(audited, { isRelease })
  expect(code(report({ high: 0, moderate: 4, low: 1 }), true)).toBe(0)
  expect(report({ high: 1, critical: 1, moderate: 4, low: 1 })).toMatchObject({ high: 2, lower: 5 })
  expect(code(report({ high: 1 }))).toBe(1)
  expect(code(report({ critical: 1 }))).toBe(1)
  for (const printed of [
    '',
    '<html>',
    'null',
    '{}',
    '{"message":"405 Method Not Allowed","error":{"summary":"","detail":""}}',
    '{"error":{"summary":"no"},"metadata":{"vulnerabilities":{"high":0}}}',
  ]) {
    const audited = auditResult(printed)
    expect([printed, audited.result]).toEqual([printed, 'not checked'])
    expect([code(audited), code(audited, true)]).toEqual([0, 2])
  }
})
