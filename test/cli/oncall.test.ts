import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { countersign } from './countersign.ts'
import { type RunningServer, runServer } from './running-server.ts'

const POLICY = `version: 1
people:
  groups:
    legal: [cy@example.com]
    ops:
      members: [ana@example.com, bo@example.com]
      on_call:
        rotation: [ana@example.com, bo@example.com]
        handover: monday 09:00
        since: "2026-01-05"
        others_after: 20m
    finance:
      claim: finance
      on_call: { calendar: finance.ics }
tools:
  pay: { approval: { approvers: [{ group: ops }] } }
`
const CALENDAR = [
  ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//', 'BEGIN:VEVENT', 'UID:1'],
  ...['DTSTART:20260105T080000Z', 'DTEND:20260112T080000Z', 'SUMMARY:dee@example.com'],
  ...['END:VEVENT', 'END:VCALENDAR', ''],
].join('\r\n')

let server: RunningServer
let run: (...args: string[]) => ReturnType<typeof countersign>

beforeAll(async () => {
  server = await runServer(POLICY)
  run = (...args) => countersign(args, { cwd: server.cwd, env: { TZ: 'UTC' } })
})

afterAll(() => server?.remove())

promise(['CS-ONCALL-1', 'CS-ONCALL-3'], 'who is on call, from a terminal', async () => {
  // Nothing to read yet: said as a failure, and the other group is shown all the same.
  const broken = await run('oncall')
  expect(broken.code).toBe(1)
  expect(broken.stdout).toContain('finance  schedule not read: its file is not there.')
  expect(broken.stdout).toMatch(/^ops {2}(ana|bo)@example\.com {2}until /m)
  const ops = await run('oncall', 'ops', '--at', '2026-01-14T12:00:00Z')
  expect([ops.code, ops.stdout]).toEqual([
    0,
    'ops  bo@example.com  until 2026-01-19 09:00:00\n' +
      '  from 2026-01-19 09:00:00: ana@example.com\n' +
      '  the others are told after 20 min without a decision\n',
  ])
  const json = await run('oncall', 'ops', '--at', '2026-01-06T00:00:00Z', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    at: Date.parse('2026-01-06T00:00:00Z'),
    groups: [{ group: 'ops', people: ['ana@example.com'], othersAfter: 1_200_000 }],
  })
  expect((await run('oncall', 'legal')).stderr).toMatch(/^usage: group legal has no schedule/)
  expect((await run('oncall', '--at', 'soon')).stderr).toMatch(/^usage: soon is not a time/)
})

promise(['CS-ONCALL-3'], 'doctor names a schedule that cannot be read', async () => {
  const file = path.join(server.cwd, 'finance.ics')
  const onCall = async () => {
    const { stdout } = await run('doctor', '--json', '--tools', 'none')
    const { findings } = JSON.parse(stdout) as { findings: { check: string; says: string }[] }
    return findings.filter(({ check }) => check === 'on call').map(({ says }) => says)
  }
  const why = 'so all of it are told at once: its file is not there'
  expect(await onCall()).toContain(`the schedule of group finance cannot be read, ${why}`)
  writeFileSync(file, CALENDAR)
  const gap = 'the schedule of group finance names no person now, so all of it are told at once'
  expect(await onCall()).toContain(gap)
  rmSync(file)
})
