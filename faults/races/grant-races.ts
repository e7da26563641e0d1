import type { Random } from '../../bench/lib/random.ts'
import type { Grant } from '../../src/approval/grants/grant.ts'
import { approverNamed } from '../../src/testing/commands.ts'
import { granted, type Minting, minting, revoking } from '../../src/testing/grants.ts'
import { randomOf } from '../seeds.ts'
import type { Race } from './race.ts'
import type { Sending } from './second-process.ts'

/** Two processes that want the same grant, or the end of it. */
export interface GrantRace {
  readonly name: string
  readonly mint: Minting
  /** What each side sends; the other side sends the same kind unless it revokes or ends it. */
  readonly other: 'use' | 'revoke' | 'end'
}

export const GRANT_RACES: readonly GrantRace[] = [
  { name: 'the last use', mint: { uses: 1 }, other: 'use' },
  { name: 'the rest of a budget', mint: { uses: 9, most: 1 }, other: 'use' },
  { name: 'use and revocation', mint: { uses: 9 }, other: 'revoke' },
  { name: 'use and end', mint: { uses: 9, lasts: 1_000 }, other: 'end' },
]

/** Plays it with many grants at once. Returns what went wrong. */
export async function playGrants(race: Race, kind: GrantRace, seeds: number): Promise<string[]> {
  const { here } = race
  const grants = await Promise.all(
    Array.from({ length: seeds }, () => {
      const mint = minting(kind.mint)
      return here.grants.apply(mint.id, mint)
    }),
  )
  if (kind.other === 'end') {
    // Into the last moments of all of them, so that some uses come before the end and some after.
    const last = Math.max(...grants.map(({ endsAt }) => endsAt))
    while ((await here.now()) < last - 15) await new Promise((go) => setTimeout(go, 2))
  }
  const random = randomOf(kind.name, seeds)
  const mine = grants.map((grant) => useOf(grant, random))
  const others = grants.map((grant) =>
    kind.other === 'use' ? useOf(grant, random) : endOf(grant, kind, random),
  )
  const [own, theirs] = await race.both(mine, others)
  const found = await Promise.all(
    grants.map(async ({ id }, index) => {
      const after = await here.grants.get(id)
      const { uses } = await here.grants.uses(id)
      const told = [own[index] ?? '', theirs[index] ?? '']
      const ran = kind.other === 'use' ? told : told.slice(0, 1)
      const accepted = ran.filter((one) => one === 'ok').length
      const why = after && problemOf(kind, after, { accepted, uses: uses.length, told })
      return why === undefined ? [] : [`${kind.name}: ${why}`]
    }),
  )
  return found.flat()
}

function useOf(grant: Grant, random: Random): Sending {
  const command = granted(grant, { amount: 0.6 })
  return { id: command.id, command, delay: random.below(4) }
}

function endOf({ id }: Grant, { other }: GrantRace, random: Random): Sending {
  const command =
    other === 'revoke'
      ? revoking(approverNamed('bo'))
      : ({ type: 'end', commandId: crypto.randomUUID() } as const)
  // The end is said when it has come; a use may be faster or slower than that.
  return { id, command, delay: other === 'revoke' ? random.below(4) : 40 + random.below(40) }
}

function problemOf(
  { other }: GrantRace,
  after: Grant,
  { accepted, uses, told }: { accepted: number; uses: number; told: readonly string[] },
): string | undefined {
  const said = told.join(' and ')
  if (after.uses !== accepted || uses !== accepted) {
    return `${accepted} uses were given, ${after.uses} counted, ${uses} on record (${said})`
  }
  if (other === 'use') return accepted === 1 ? undefined : `${accepted} got it (${said})`
  const strange = told.find((one) => !['ok', 'grant_ended', 'not_due'].includes(one))
  return strange && `${strange} was said`
}
