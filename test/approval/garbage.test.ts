import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import { step } from '../../src/approval/step.ts'
import { ERRORS } from '../../src/base/errors.ts'
import {
  after,
  asked,
  claimOf,
  editTo,
  kim,
  NOON,
  OTHER,
  requestFor,
  root,
  send,
  uma,
  yes,
} from './asking.ts'

const approved = after(asked(), yes(kim))
const running = after(approved, claimOf(approved))
const RECORDS: readonly Approval[] = [asked(), approved, running]
const COMMANDS: readonly Command[] = [
  requestFor({ grant: { id: 'g', minter: kim, holder: { claim: 'c', instance: 'i' } } }),
  yes(kim, { reason: 'r', payload: { a: [1] }, edit: editTo(OTHER) }),
  send('extend', { by: kim, until: NOON + 5 }),
  send('remind', { by: kim }),
  send('escalate', { by: kim }),
  send('expire', {}),
  send('withdraw', { by: { person: uma } }),
  send('withdraw', { by: { agent: 'billing-bot' } }),
  send('invalidate', { reason: 'tool', by: root }),
  claimOf(approved),
  send('renew', { claim: 'claim-1', lease: 60_000 }),
  send('finish', { claim: 'claim-1', outcome: 'failed', result: 1 }),
  send('lost', { lastSeen: NOON }),
  send('resolve', { by: root, outcome: 'failed' }),
]

function refusedOrFine(approval: unknown, command: unknown, now: unknown): void {
  const transition = step(approval as Approval, command as Command, now as number)
  if (transition.ok) expect(transition.approval.revision).toBeGreaterThan(0)
  else expect(Object.hasOwn(ERRORS, transition.code)).toBe(true)
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
})

test('anything at all gets a transition, never a throw', () => {
  fc.assert(
    fc.property(anything, anything, anything, (approval, command, now) => {
      refusedOrFine(approval, command, now)
    }),
    { numRuns: 3_000 },
  )
})

test('any junk in place of a command, a record or a clock is refused with a code', () => {
  fc.assert(
    fc.property(
      anything,
      fc.constantFrom(...RECORDS),
      fc.constantFrom(...COMMANDS),
      (junk, record, command) => {
        refusedOrFine(record, junk, NOON)
        if (junk !== undefined)
          expect(step(junk as never, command, NOON)).toMatchObject({ ok: false })
        expect(step(record, junk as never, NOON)).toMatchObject({
          ok: false,
          code: 'invalid_command',
        })
      },
    ),
    { numRuns: 2_000 },
  )
})

type Path = readonly (string | number)[]

function paths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([key, one]) => paths(one, [...at, key]))]
}

function changed(value: unknown, [key, ...rest]: Path, to: unknown): unknown {
  if (key === undefined) return to
  const copy = structuredClone(value) as Record<string | number, unknown>
  copy[key] = changed(copy[key], rest, to)
  return copy
}

const junk = fc.oneof(
  anything,
  fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    'x',
    '\0',
    '\ud800',
    -1,
    0,
    1.5,
    NaN,
    2 ** 60,
    [],
    {},
    true,
  ),
)

test('one wrong leaf anywhere in a command never throws', () => {
  const cases = fc.constantFrom(
    ...COMMANDS.flatMap((command) => paths(command).map((path) => ({ command, path }))),
  )
  fc.assert(
    fc.property(
      cases,
      junk,
      fc.constantFrom(undefined, ...RECORDS),
      ({ command, path }, to, record) => {
        refusedOrFine(record, changed(command, path, to), NOON + 60_000)
      },
    ),
    { numRuns: 5_000 },
  )
})

test('one wrong leaf anywhere in a record never throws', () => {
  const cases = fc.constantFrom(
    ...RECORDS.flatMap((record) => paths(record).map((path) => ({ record, path }))),
  )
  fc.assert(
    fc.property(cases, junk, fc.constantFrom(...COMMANDS), ({ record, path }, to, command) => {
      refusedOrFine(changed(record, path, to), command, NOON + 60_000)
    }),
    { numRuns: 5_000 },
  )
})

test.each(COMMANDS.map((command) => [command.type, command] as const))(
  'a member nobody knows is refused: %s',
  (_, command) => {
    for (const stray of ['approved', 'bypass', '__proto__', 'constructor']) {
      const more = Object.defineProperty({ ...command }, stray, { value: true, enumerable: true })
      expect(step(approved, more, NOON)).toMatchObject({ ok: false, code: 'invalid_command' })
    }
  },
)

test.each<[string, object]>([
  ['an execution that nobody approved', { status: 'pending' }],
  ['an end without a reason', { status: 'expired', execution: undefined }],
  ['a reason without an end', { reason: 'tool' }],
  ['a yes without an end', { useBy: undefined }],
  ['a revision of zero', { revision: 0 }],
  ['no requirements', { requirements: [] }],
  ['an unknown status', { status: 'ok' }],
])('a record with %s decides nothing', (_, change) => {
  const broken = { ...running, ...change } as Approval
  for (const command of COMMANDS) {
    expect(step(broken, command, NOON)).toMatchObject({ ok: false, code: 'invalid_approval' })
  }
})

test('objects that fight back are refused', () => {
  const angry = new Proxy(yes(kim), {
    get() {
      throw new Error('no')
    },
  })
  expect(step(approved, angry, NOON)).toMatchObject({ ok: false })
  const { proxy, revoke } = Proxy.revocable({ ...approved }, {})
  revoke()
  expect(step(proxy, yes(kim), NOON)).toMatchObject({ ok: false })
})

test.each([NaN, -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 60])(
  'a clock that says %s is no clock',
  (now) => {
    expect(step(asked(), yes(kim), now)).toMatchObject({ ok: false, code: 'invalid_command' })
  },
)
