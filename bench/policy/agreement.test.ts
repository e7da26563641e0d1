import { expect, test } from 'vitest'
import { bytesPerDecision } from '../lib/heap.ts'
import { catalogue } from './catalogue.ts'
import { EVALUATE, enginesFor, expected, loadWork } from './engines.ts'
import { sixPolicies } from './six.ts'

test.each([sixPolicies(2_000), catalogue(2_000)])('all engines agree on: $name', (work) => {
  const policy = loadWork(work)
  const answers = expected(policy, work.calls)
  for (const { decide } of enginesFor(work, policy)) expect(work.calls.map(decide)).toEqual(answers)
  // A set in which nearly everything is allowed, or asked, would measure one path only.
  const allowed = answers.filter((level) => level === 0).length / answers.length
  expect(allowed).toBeGreaterThan(0.5)
  expect(allowed).toBeLessThan(0.75)
})

test.each([sixPolicies(2_000), catalogue(2_000)])(
  'an allowed call leaves nothing behind: $name',
  (work) => {
    const policy = loadWork(work)
    const answers = expected(policy, work.calls)
    const allowed = work.calls.filter((_, index) => answers[index] === 0)
    const evaluate = enginesFor(work, policy).find(({ name }) => name === EVALUATE)
    const run = () => evaluate?.loop(allowed) ?? 0
    for (let round = 0; round < 300; round++) run()
    expect(bytesPerDecision(run, allowed.length, 200_000)).toBeLessThan(0.1)
  },
)
