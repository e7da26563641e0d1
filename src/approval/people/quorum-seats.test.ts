import fc from 'fast-check'
import { expect } from 'vitest'
import { asks, call, someone } from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Named, Person } from './person.ts'
import { allMet } from './quorum.ts'

const GROUPS = ['finance', 'security'] as const
const groups = fc.subarray([...GROUPS])

interface World {
  /** Groups of all people; each is a name. */
  readonly people: readonly (readonly string[])[]
  /** Who said yes, and for whom. */
  readonly yeses: readonly { readonly by: number; readonly for: readonly number[] }[]
  readonly needs: readonly number[]
}

const worlds: fc.Arbitrary<World> = fc
  .array(groups, { minLength: 3, maxLength: 6 })
  .chain((people) => {
    const names = people.map((_, index) => index)
    return fc.record({
      people: fc.constant(people),
      yeses: fc
        .subarray(names)
        .chain((voters) =>
          fc.tuple(
            ...voters.map((by) =>
              fc.subarray(names.filter((one) => one !== by)).map((absent) => ({ by, for: absent })),
            ),
          ),
        ),
      needs: fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 2 })),
    })
  })

/** Every seat is taken by one person in one name, and every name is used once. */
function tryAll({ people, yeses, needs }: World): boolean {
  const seats = needs.flatMap((n, at) => Array.from({ length: n }, () => GROUPS[at] ?? ''))
  const own = new Set(yeses.map(({ by }) => by))
  const fill = (seat: number, sat: ReadonlySet<number>, used: ReadonlySet<number>): boolean => {
    const group = seats[seat]
    if (group === undefined) return true
    return yeses.some(({ by, for: absent }) => {
      if (sat.has(by)) return false
      // A person who answered for themselves lends nothing.
      const names = [by, ...absent.filter((one) => !own.has(one))]
      return names.some(
        (name) =>
          !used.has(name) &&
          people[name]?.includes(group) &&
          fill(seat + 1, new Set([...sat, by]), new Set([...used, name])),
      )
    })
  }
  return fill(0, new Set(), new Set())
}

promise(['CS-STANDIN-2'], 'lending agrees with trying every arrangement', () => {
  const met = { yes: 0, no: 0 }
  fc.assert(
    fc.property(worlds, (world) => {
      const people = world.people.map((own, index) => someone(`p${index}`, { groups: own }))
      const voters = world.yeses.map(({ by, for: absent }) => ({
        voted: people[by] as Person,
        lent: absent.map((one) => ({ voted: people[one] as Named })),
      }))
      const quorum = world.needs.flatMap((n, at) => (n > 0 ? [{ group: GROUPS[at] ?? '', n }] : []))
      const question = { call, requirements: [asks({ quorum })], escalated: [] }
      const expected = tryAll(world)
      met[expected ? 'yes' : 'no'] += 1
      expect(allMet(question, voters)).toBe(expected)
    }),
    { numRuns: 5_000 },
  )
  expect(Math.min(met.yes, met.no)).toBeGreaterThan(500)
})
