import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { lockFolder } from '../scripts/folder-lock.mjs'
import { explainFailure, planSetup, SetupError, setUp, treeMatches } from '../scripts/setup.mjs'

const same = { wanted: 'a', stamp: 'a', nodeFound: true, treeMatches: false }

test.each([
  ['nothing changed', same, 'ready'],
  ['the lockfile or the platform changed', { ...same, stamp: 'b' }, 'install'],
  ['a fresh clone', { ...same, stamp: undefined }, 'install'],
  ['npm ci was run by hand', { ...same, stamp: undefined, treeMatches: true }, 'stamp'],
  [
    'the lockfile changed and npm was run by hand',
    { ...same, stamp: 'b', treeMatches: true },
    'stamp',
  ],
  ['no Node that is new enough', { ...same, nodeFound: false }, 'install'],
  ['no Node, all else in place', { ...same, nodeFound: false, treeMatches: true }, 'install'],
] as const)('%s: %j → %s', (_, facts, plan) => {
  expect(planSetup(facts)).toBe(plan)
})

const lock = {
  packages: {
    '': {},
    runtime: {},
    'node_modules/a': { version: '1.0.0', integrity: 'x' },
    'node_modules/other-platform': { version: '1.0.0', integrity: 'y', optional: true },
  },
}
const a = { version: '1.0.0', integrity: 'x' }

test.each([
  ['nothing installed', undefined, false],
  ['all that belongs here', { packages: { 'node_modules/a': a } }, true],
  ['a package missing', { packages: {} }, false],
  ['another version', { packages: { 'node_modules/a': { ...a, version: '2.0.0' } } }, false],
  ['other content', { packages: { 'node_modules/a': { ...a, integrity: 'z' } } }, false],
] as const)('npm’s record, %s: matches is %s', (_, installed, expected) => {
  expect(treeMatches(lock, installed)).toBe(expected)
})

test.each([
  ['npm error code ENOTFOUND', /network/],
  ['npm error code ECONNREFUSED', /network/],
  ['npm error code EUSAGE', /npm install/],
  ['npm error code ENOSPC', /Free/],
  ['npm error code EACCES', /writable/],
  ['npm error process terminated\nnpm error signal SIGTERM', /^Run the same command again/],
  ['npm error something new', /run the same command again/],
])('after %j the next step is named', (output, hint) => {
  expect(explainFailure(output).hint).toMatch(hint)
})

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function checkout(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-setup-'))
  folders.push(folder)
  writeFileSync(path.join(folder, 'package-lock.json'), JSON.stringify(lock))
  return folder
}

/** An npm that counts instead of installing. */
function countingInstall(root: string) {
  const runs: string[] = []
  const install = async () => {
    runs.push('npm ci')
    await new Promise((resolve) => setTimeout(resolve, 20))
    mkdirSync(path.join(root, 'node_modules'), { recursive: true })
  }
  return { runs, options: { install, say: () => {} } }
}

test('a fresh clone installs once, and not again until the lockfile changes', async () => {
  const root = checkout()
  const { runs, options } = countingInstall(root)
  await setUp(root, options)
  await setUp(root, options)
  expect(runs).toHaveLength(1)
  writeFileSync(path.join(root, 'package-lock.json'), '{"packages":{"node_modules/b":{}}}')
  await setUp(root, options)
  expect(runs).toHaveLength(2)
})

test('the answer is a Node that is new enough', async () => {
  const root = checkout()
  expect(await setUp(root, countingInstall(root).options)).toBe(process.execPath)
})

test('two at once install once', async () => {
  const root = checkout()
  const { runs, options } = countingInstall(root)
  await Promise.all([setUp(root, options), setUp(root, options), setUp(root, options)])
  expect(runs).toHaveLength(1)
})

test('an install that fails is tried again next time, and leaves no lock', async () => {
  const root = checkout()
  const { runs, options } = countingInstall(root)
  const failing = { ...options, install: () => Promise.reject(new SetupError('no', 'try')) }
  await expect(setUp(root, failing)).rejects.toThrow('no')
  expect(existsSync(path.join(root, '.setup-lock'))).toBe(false)
  await setUp(root, options)
  expect(runs).toHaveLength(1)
})

test('a lock whose owner died is taken over', async () => {
  const file = path.join(checkout(), '.setup-lock')
  writeFileSync(file, '')
  utimesSync(file, new Date(0), new Date(0))
  const release = await lockFolder(file, () => {
    throw new Error('nobody is there to wait for')
  })
  release()
  expect(existsSync(file)).toBe(false)
})

test('a lock in use is waited for, and the wait is told once', async () => {
  const file = path.join(checkout(), '.setup-lock')
  const order: string[] = []
  const release = await lockFolder(file, () => {})
  const second = lockFolder(file, () => order.push('waits')).then((releaseSecond) => {
    order.push('second')
    releaseSecond()
  })
  await vi.waitFor(() => expect(order).toEqual(['waits']))
  // Several looks later.
  await new Promise((resolve) => setTimeout(resolve, 300))
  order.push('first done')
  release()
  await second
  expect(order).toEqual(['waits', 'first done', 'second'])
})
