import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Group } from '../../policy/document.ts'
import { createSchedules } from './schedules.ts'

const CALENDAR = `BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//
BEGIN:VEVENT
UID:1
DTSTART:20260105T080000Z
DTEND:20260112T080000Z
SUMMARY:ana@example.com
END:VEVENT
END:VCALENDAR
`.replaceAll('\n', '\r\n')
const AT = Date.parse('2026-01-06T00:00:00Z')

function schedulesOf(calendar: string, allowHosts: readonly string[] = []) {
  const lines: string[] = []
  const group: Group = { claim: 'ops', onCall: { by: { calendar }, othersAfter: 60_000 } }
  const policy = () => ({ groups: new Map([['ops', group]]) })
  const report = (line: string) => lines.push(line)
  return { schedules: createSchedules({ policy, allowHosts, report }), lines }
}

function inFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-on-call-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function served(
  answer: (path: string) => { status: number; body: string; headers?: object },
) {
  const server = createServer((request, response) => {
    const { status, body, headers } = answer(request.url ?? '')
    response.writeHead(status, { ...headers }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

promise(['CS-ONCALL-3'], 'a calendar in a file says who is on call', async () => {
  const file = path.join(inFolder(), 'on-call.ics')
  writeFileSync(file, CALENDAR)
  const { schedules, lines } = schedulesOf(file)
  expect(await schedules.onCall('ops', AT)).toMatchObject({ people: ['ana@example.com'] })
  expect(await schedules.onCall('legal', AT)).toBeUndefined()
  expect(lines).toEqual([])
})

promise(['CS-ONCALL-3'], 'a calendar that is served says who is on call', async () => {
  const host = await served(() => ({ status: 200, body: CALENDAR }))
  const { schedules } = schedulesOf(`http://${host}/secret-token.ics`, [host])
  expect(await schedules.onCall('ops', AT)).toMatchObject({ people: ['ana@example.com'] })
})

promise.each(
  ['CS-ONCALL-3', 'CS-ONCALL-2'],
  'a calendar that cannot be read is said once, and its address is not',
  [
    ['it is not there', 404, ''],
    ['it leads elsewhere', 302, ''],
    ['it is a page', 200, '<html>secret-token</html>'],
    ['it is too large', 200, `${CALENDAR}${' '.repeat(5_000_001)}`],
  ] as const,
  async (_, status, body) => {
    const headers = { location: '/other.ics' }
    const host = await served((at) =>
      at === '/other.ics' ? { status: 200, body: CALENDAR } : { status, body, headers },
    )
    const { schedules, lines } = schedulesOf(`http://${host}/secret-token.ics`, [host])
    for (let look = 0; look < 3; look++) {
      const state = await schedules.onCall('ops', AT)
      expect(state).toHaveProperty('problem')
    }
    expect(lines).toHaveLength(1)
    expect(lines.join()).not.toContain('secret-token')
    expect(lines.join()).toContain('group ops is told as a whole')
  },
)

promise.each(
  ['CS-ONCALL-3'],
  'nothing is fetched from where a server may not reach, nor read from what is no file',
  [
    ['this machine', 'http://127.0.0.1:1/a.ics'],
    ['a private network', 'https://10.0.0.1/a.ics'],
    ['a folder', '.'],
    ['a device', '/dev/zero'],
    ['nothing', '/no/such/file.ics'],
  ],
  async (_, place) => {
    const { schedules } = schedulesOf(place)
    expect(await schedules.onCall('ops', AT)).toHaveProperty('problem')
  },
)

promise(['CS-ONCALL-3'], 'what is said of a calendar quotes neither it nor its host', async () => {
  const file = path.join(inFolder(), 'on-call.ics')
  writeFileSync(
    file,
    CALENDAR.replace('SUMMARY', 'RRULE:FREQ=DAILY;INTERVAL=secret-token\r\nSUMMARY'),
  )
  const places = [file, 'https://secret-token.invalid/a.ics']
  for (const place of places) {
    const { schedules, lines } = schedulesOf(place)
    const state = await schedules.onCall('ops', AT)
    expect(state).toHaveProperty('problem')
    expect(JSON.stringify([state, lines])).not.toContain('secret-token')
  }
})

promise(
  ['CS-ONCALL-3'],
  'a calendar that takes too long is tried once, not for each person',
  async () => {
    const file = path.join(inFolder(), 'on-call.ics')
    const never = 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'
    writeFileSync(file, CALENDAR.replace('SUMMARY', `${never}\r\nSUMMARY`))
    const { schedules, lines } = schedulesOf(file)
    const began = performance.now()
    for (let person = 0; person < 20; person++) {
      expect(await schedules.onCall('ops', AT + person)).toHaveProperty('problem')
    }
    // Once takes up to two seconds.
    expect(performance.now() - began).toBeLessThan(20_000)
    expect(lines).toHaveLength(1)
  },
)
