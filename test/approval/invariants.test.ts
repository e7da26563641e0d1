import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import { step } from '../../src/approval/step.ts'
import type { Event, Transition } from '../../src/approval/transition.ts'
import { ERRORS } from '../../src/base/errors.ts'
import { NOON } from './asking.ts'
import { histories, type Move, requests, resent } from './histories.ts'
import { naivelyApproved } from './naive.ts'

/** More of them with PROPERTY_RUNS, for a long night. */
const RUNS = Number(process.env.PROPERTY_RUNS ?? 400)

interface Line {
  readonly before: Approval
  readonly command: Command
  readonly now: number
  readonly transition: Transition
  readonly after: Approval
}

/** Plays a history, each approval read back from its JSON as a store would. */
function play(request: Command, moves: readonly Move[]): { lines: Line[]; events: Event[] } {
  const first = step(undefined, request, NOON)
  if (!first.ok) return { lines: [], events: [] }
  const events = [...first.events]
  const lines: Line[] = []
  let before = first.approval
  let now = NOON
  for (const { wait, make } of moves) {
    now += wait
    const command = make(before)
    const stored = JSON.parse(JSON.stringify(before)) as Approval
    const transition = step(stored, command, now)
    const after = transition.approval ?? stored
    lines.push({ before: stored, command, now, transition, after })
    events.push(...transition.events)
    before = after
  }
  return { lines, events }
}

function always(check: (line: Line) => void, runs = RUNS): void {
  fc.assert(
    fc.property(requests, histories, (request, moves) => {
      for (const line of play(request, moves).lines) check(line)
    }),
    { numRuns: runs },
  )
}

const isClosed = ({ status }: Approval) => status !== 'pending' && status !== 'approved'

test('every refusal has a code from the table', () => {
  always(({ transition }) => {
    if (!transition.ok) expect(Object.hasOwn(ERRORS, transition.code)).toBe(true)
    if (!transition.ok) expect(transition.code).not.toBe('internal')
    if (!transition.ok) expect(transition.code).not.toBe('invalid_command')
  })
})

test('an end is an end: closed approvals never change', () => {
  always(({ before, after }) => {
    if (isClosed(before)) expect(after).toEqual(before)
  })
})

test('a claimed approval stays approved, under its one claim', () => {
  always(({ before, after }) => {
    if (!before.execution) return
    expect(after.status).toBe('approved')
    expect(after.execution?.claim).toBe(before.execution.claim)
    expect(after.digest).toBe(before.digest)
    const { state } = before.execution
    if (state === 'succeeded' || state === 'failed') expect(after).toEqual(before)
    if (state === 'unknown') expect(after.execution?.state).not.toBe('running')
  })
})

test('there is at most one claim in any history, and one approval', () => {
  fc.assert(
    fc.property(requests, histories, (request, moves) => {
      const { events } = play(request, moves)
      expect(events.filter(({ type }) => type === 'claimed').length).toBeLessThanOrEqual(1)
      expect(events.filter(({ type }) => type === 'approved').length).toBeLessThanOrEqual(1)
      const ends = ['denied', 'expired', 'withdrawn', 'invalidated']
      expect(events.filter(({ type }) => ends.includes(type)).length).toBeLessThanOrEqual(1)
    }),
    { numRuns: RUNS },
  )
})

test('revision grows by exactly one with each change, and only then', () => {
  always(({ before, after, transition }) => {
    if (after === before) {
      expect(
        transition.ok ? transition.events : transition.events.filter(({ type }) => type !== 'late'),
      ).toEqual([])
    } else {
      expect(after.revision).toBe(before.revision + 1)
      expect(transition.events.length).toBeGreaterThan(0)
    }
    for (const event of transition.events) expect(event.revision).toBe(after.revision)
  })
})

test('nothing becomes approved that a naive reading of the requirements would not approve', () => {
  let approvals = 0
  always(({ before, after }) => {
    if (before.status !== 'pending' || after.status !== 'approved') return
    approvals++
    expect(naivelyApproved(after)).toBe(true)
  }, 3 * RUNS)
  expect(approvals).toBeGreaterThan(RUNS / 20)
})

test('and nothing stays pending after a yes that a naive reading would approve', () => {
  always(({ after, command, transition }) => {
    const voted = transition.ok && command.type === 'decide' && command.verdict === 'approve'
    if (voted && after.status === 'pending') expect(naivelyApproved(after)).toBe(false)
  }, 3 * RUNS)
})

test('an accepted no ends it', () => {
  always(({ before, command, transition, after }) => {
    if (!transition.ok || command.type !== 'decide' || command.verdict !== 'deny') return
    if (after === before) expect(isClosed(after)).toBe(true)
    else expect(['denied', 'invalidated']).toContain(after.status)
  })
})

test('the clock decides: no yes at or after the deadline, no expiry before it', () => {
  always(({ before, after, now }) => {
    if (before.status === 'pending' && after.status === 'approved')
      expect(now).toBeLessThan(before.decideBy)
    if (!before.execution && after.execution) expect(now).toBeLessThan(before.useBy ?? 0)
    if (isClosed(before) || after.status !== 'expired') return
    const deadline = before.status === 'pending' ? before.decideBy : before.useBy
    expect(now).toBeGreaterThanOrEqual(deadline ?? Number.POSITIVE_INFINITY)
  })
})

test('whatever arrives past a deadline finds the approval expired', () => {
  always(({ before, after, now }) => {
    const open = before.status === 'pending' ? before.decideBy : before.useBy
    if (isClosed(before) || before.execution || open === undefined || now < open) return
    expect(after.status).toBe('expired')
  })
})

test('only the call people said yes to is claimed, by those who were asked', () => {
  always(({ before, after }) => {
    if (before.execution || !after.execution) return
    expect(before.status).toBe('approved')
    expect(after.digest).toBe(before.digest)
    expect(naivelyApproved(after)).toBe(true)
  })
})

test('at most one answer per person and call, and voided ones never come back', () => {
  always(({ before, after }) => {
    const names = after.decisions.map(({ by, digest }) => `${by.subject} ${digest}`)
    expect(new Set(names).size).toBe(names.length)
    for (const old of before.decisions.filter((one) => one.void)) {
      const same = after.decisions.find(
        (one) =>
          one.by.subject === old.by.subject && one.digest === old.digest && one.at === old.at,
      )
      if (same) expect(same.void).toBe(true)
    }
  })
})

test('requirements never shrink, what was asked never changes, deadlines only move by extending', () => {
  always(({ before, after, command }) => {
    expect(after.requirements.slice(0, before.requirements.length)).toEqual(before.requirements)
    expect([after.id, after.askedDigest, after.call, after.askedAt]).toEqual([
      before.id,
      before.askedDigest,
      before.call,
      before.askedAt,
    ])
    if (command.type !== 'extend') expect(after.decideBy).toBe(before.decideBy)
    expect(after.decideBy).toBeGreaterThanOrEqual(before.decideBy)
  })
})

test('sending an accepted command again never changes more than the first time', () => {
  const repeatable = ['decide', 'withdraw', 'invalidate', 'expire', 'finish', 'lost', 'resolve']
  always(({ transition, command, after, now }) => {
    if (!transition.ok || !repeatable.includes(command.type)) return
    const again = step(after, resent(command), now)
    expect(again.approval ?? after).toBe(after)
  })
})

test('the same input gives the same output', () => {
  always(({ before, command, now, transition }) => {
    expect(step(before, command, now)).toEqual(transition)
  }, RUNS)
})
