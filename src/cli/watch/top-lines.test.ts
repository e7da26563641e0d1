import { expect, test } from 'vitest'
import { quantile, Reading, rate } from './samples.ts'
import { topLines } from './top-lines.ts'

const TEXT = (requested: number, pending: number) => `# HELP x y
countersign_pending_approvals ${pending}
countersign_oldest_pending_seconds 95
countersign_pending_by_risk{risk="L4"} ${pending}
countersign_approval_events_total{type="requested"} ${requested}
countersign_time_to_decision_seconds_bucket{outcome="approved",le="5"} 2
countersign_time_to_decision_seconds_bucket{outcome="approved",le="15"} 4
countersign_time_to_decision_seconds_bucket{outcome="approved",le="+Inf"} 4
countersign_http_requests_total{method="GET",route="/a\\"b",status="500"} ${requested}
countersign_event_loop_delay_seconds{quantile="0.99"} 0.5
countersign_notices_stuck 3
countersign_info{version="9.9.9"} 1
`

const [before, now] = [new Reading(TEXT(10, 1), 1_000), new Reading(TEXT(40, 2), 31_000)]
const state = { url: 'http://a', before, now, at: 31_000 }
const textOf = (columns: number, rows: number) =>
  topLines(state, columns, rows).map(({ text }) => text)

test('rates and quantiles are those of Prometheus, and a restart counts from nothing', () => {
  expect(rate(before, now, 'countersign_approval_events_total', { type: 'requested' })).toBe(1)
  expect(rate(now, new Reading(TEXT(6, 0), 33_000), 'countersign_approval_events_total')).toBe(3)
  expect(rate(undefined, now, 'countersign_approval_events_total')).toBeUndefined()
  const time = 'countersign_time_to_decision_seconds'
  expect(quantile(now, time, 0.5)).toBe(5)
  expect(quantile(now, time, 0.75)).toBe(10)
  expect(quantile(now, 'none', 0.5)).toBeUndefined()
})

test('a screen says what waits, what is late and what fails, and marks what needs a look', () => {
  const lines = textOf(120, 40).join('\n')
  expect(lines).toMatch(/Waiting for people: 2, the oldest for 95s\n {2}L4 +2 {2}#+/)
  expect(lines).toMatch(/requested 60 /)
  expect(lines).toMatch(/approved 5s \/ 14s/)
  expect(lines).toMatch(/version 9\.9\.9/)
  const marked = topLines(state, 120, 40).filter(({ look }) => look === 'warn')
  expect(marked.map(({ text }) => text.trim().split(/ +/)[0])).toEqual([
    ...['Waiting', 'outbox', 'requests', 'event'],
  ])
})

test('a screen never leaves its terminal', () => {
  for (const [columns, rows] of [
    [80, 24],
    [40, 10],
    [10, 3],
    [1, 1],
  ] as const) {
    const lines = textOf(columns, rows)
    expect(lines.length).toBeLessThanOrEqual(rows)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
  }
})

test('a server that is away is said so, above what was read last', () => {
  const lines = topLines({ ...state, problem: 'The server does not answer.' }, 80, 24)
  expect(lines[1]).toEqual({ text: 'The server does not answer.', look: 'bad' })
  expect(lines.some(({ text }) => text.startsWith('Waiting for people: 2'))).toBe(true)
})
