import { expect, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { createLog, errorFields, isWritten } from './log.ts'

const now = () => new Date(0)

function lines(format: 'json' | 'text', level: 'info' | 'warn' = 'info') {
  const written: string[] = []
  const log = createLog({ format, level, now, out: (line) => void written.push(line) })
  return { log, written }
}

promise(['CS-SEC-7'], 'a log line is one line of JSON, and secrets in it are masked', () => {
  const { log, written } = lines('json')
  log.write('error', 'internal', {
    request: 'r1',
    password: 'canary',
    error: 'cannot reach postgres://bo:canary@db/app\n{"level":"info"}\u001b[2J\u202e',
    nested: { list: [{ apiKey: 7 }] },
  })
  expect(written).toHaveLength(1)
  for (const bad of ['\n', '\u001b', '\u202e', 'canary']) expect(written[0]).not.toContain(bad)
  expect(JSON.parse(written[0] ?? '')).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'error',
    event: 'internal',
    request: 'r1',
    password: '[secret]',
    error: 'cannot reach postgres://bo:[secret]@db/app\n{"level":"info"}\u001b[2J\u202e',
    nested: { list: [{ apiKey: '[secret]' }] },
  })
})

test('for people it is the same, with names and values', () => {
  const { log, written } = lines('text')
  log.write('info', 'request', { method: 'GET', status: 200, why: 'a\nb', none: undefined })
  expect(written).toEqual([
    '1970-01-01T00:00:00.000Z info request method="GET" status=200 why="a\\nb"',
  ])
})

test('what is below the level is left out', () => {
  const { log, written } = lines('json', 'warn')
  log.write('debug', 'a')
  log.write('info', 'b')
  log.write('warn', 'c')
  expect(written.map((line) => JSON.parse(line).event)).toEqual(['c'])
})

test('of an error its words are written, and of what cannot be masked nothing', () => {
  const { log, written } = lines('json')
  const cause = new Error('token=canary1')
  log.write('error', 'x', errorFields(new TypeError('broken', { cause })))
  const cyclic: Record<string, never> = {}
  Object.assign(cyclic, { cyclic, canary1: 1 })
  log.write('error', 'y', cyclic)
  expect(written.map((line) => JSON.parse(line))).toMatchObject([
    { error: 'broken', name: 'TypeError', cause: 'token=[secret]' },
    { unreadable: true },
  ])
  expect(written.join()).not.toContain('canary')
})

test('what a log leaves out need not be put together; of an unknown log nothing is left out', () => {
  const { log } = lines('json', 'warn')
  expect([isWritten(log, 'info'), isWritten(log, 'warn'), isWritten(log, 'error')]).toEqual([
    false,
    true,
    true,
  ])
  expect(isWritten({ write() {} }, 'debug')).toBe(true)
})
