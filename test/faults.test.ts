import { expect, test } from 'vitest'
import { type Counts, NEMESES, runFaults, skippedNemeses } from '../faults/run.ts'
import { pointsFor } from '../faults/workload/crash-points.ts'

/**
 * A new seed in every run would find more and explain less: `npm run proof` has the many. With
 * this one every point of SQLite comes up within few cycles; a new point may need more of them.
 */
const SEED = 'every point 12272'
const SLOW = 600_000

async function faults(
  store: 'sqlite' | 'postgres',
  cycles: number,
  nemesis: string,
): Promise<Counts & { failures: string[] }> {
  const failures: string[] = []
  const say = (line: string) => {
    if (line.startsWith('FAILED')) failures.push(line)
  }
  const counts = await runFaults({ cycles, seed: SEED, stores: [store], jobs: 2, nemesis, say })
  return { ...counts, failures }
}

const CLEAN = { lost: 0, double: 0, stuck: 0, broken: 0, failures: [] }

test.each([
  ['sqlite', 84, 63],
  ['postgres', 40, 28],
] as const)(
  'on %s nothing is lost, doubled or stuck, wherever the process is killed',
  async (store, cycles, kills) => {
    const counts = await faults(store, cycles, 'kill')
    expect(counts).toMatchObject({ cycles, ...CLEAN })
    expect(counts.kills).toBeGreaterThanOrEqual(kills)
    if (store === 'sqlite') {
      const places = pointsFor(store).map(({ place }) => `${store} ${place}`)
      expect(places.filter((place) => !counts.byName.has(place))).toEqual([])
    }
  },
  SLOW,
)

test.each(['sqlite', 'postgres'] as const)(
  'on %s every other fault leaves the same promises standing',
  async (store) => {
    for (const one of skippedNemeses()) process.stderr.write(`skipped ${one}\n`)
    const names = NEMESES.filter(
      ({ stores, lacks, onlyByName }) =>
        stores.includes(store) && !onlyByName && lacks?.() === undefined,
    ).map(({ name }) => name)
    const counts = await faults(store, names.length, 'others')
    expect(counts).toMatchObject({ cycles: names.length, ...CLEAN })
    expect([...counts.byName.keys()].sort()).toEqual(names.map((name) => `${store} ${name}`).sort())
  },
  SLOW,
)
