import { afterAll, beforeAll, expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

const POLICY = `version: 1
tools:
  pay: { approval: { approvers: [ana@example.com] } }
`

let server: RunningServer
let run: (...args: string[]) => ReturnType<typeof countersign>

beforeAll(async () => {
  server = await runServer(POLICY)
  run = (...args) => countersign(['people', ...args], { cwd: server.cwd })
  await run('add', 'ana@example.com', '--role', 'approver', '--name', 'Ana')
  await run('add', 'bo@example.com', '--role', 'viewer')
})

afterAll(() => server?.remove())

promise(['CS-STANDIN-6'], 'stand-ins from a terminal: set, listed, ended', async () => {
  const set = ['stand-in', 'bo@example.com', '--for', 'ana@example.com']
  const made = await run(...set, '--until', '5d', '--reason', 'on leave')
  expect(made.stdout).toMatch(/^Set: \S{8} {2}bo@example.com for Ana: on leave {2}\(/)
  const list = await run('stand-in', '--list', '--json')
  const { standIns, now } = JSON.parse(list.stdout) as {
    standIns: { id: string; until: number; from: number }[]
    now: number
  }
  const [first] = standIns
  expect(first?.until).toBeGreaterThan(now + 4 * 86_400_000)
  const id = first?.id.slice(-8) ?? ''
  expect((await run('stand-in', '--end', id)).stdout).toMatch(/^Ended: /)
  expect((await run('stand-in', '--list')).stdout).toBe('There are no stand-ins.\n')
  const day = new Date(now + 30 * 86_400_000).toISOString().slice(0, 10)
  const later = await run(...set, '--from', `${day}T08:00Z`, '--until', '45 days', '--json')
  expect(JSON.parse(later.stdout)).toMatchObject({ from: Date.parse(`${day}T08:00Z`) })
  const taken = await run('stand-in', '--take-back', JSON.parse(later.stdout).id)
  expect(taken.stdout).toMatch(/^Taken back: /)
  for (const [wrong, code] of [
    [['stand-in'], /^usage: say who/],
    [['stand-in', 'bo@example.com'], /^usage: --until/],
    [['stand-in', 'bo@example.com', '--until', 'Friday'], /^usage: --until is no day/],
    [['stand-in', 'bo@example.com', '--list'], /^usage: say who/],
    [['stand-in', '--end', 'none'], /^usage: no stand-in/],
    [[...set, '--until', '91 days'], /^invalid_value: a stand-in lasts 90 days/],
    [['stand-in', 'ghost@example.com', '--until', '5d'], /^not_found: no person here/],
  ] as const) {
    const { stderr, stdout } = await run(...wrong)
    expect([wrong, stdout, stderr]).toEqual([wrong, '', expect.stringMatching(code)])
  }
})
