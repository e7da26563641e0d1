import { expect, test } from 'vitest'
import { type Counts, NEMESES, runFaults } from '../faults/run.ts'

/** A new seed in every run would find more and explain less: `npm run proof` has the many. */
const SEED = 'npm test'
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
  ['sqlite', 120, 90],
  ['postgres', 40, 28],
] as const)(
  'on %s nothing is lost, doubled or stuck, wherever the process is killed',
  async (store, cycles, kills) => {
    const counts = await faults(store, cycles, 'kill')
    expect(counts).toMatchObject({ cycles, ...CLEAN })
    expect(counts.kills).toBeGreaterThanOrEqual(kills)
  },
  SLOW,
)

test.each(['sqlite', 'postgres'] as const)(
  'on %s every other fault leaves the same promises standing',
  async (store) => {
    const names = NEMESES.filter(({ stores }) => stores.includes(store)).map(({ name }) => name)
    const counts = await faults(store, names.length, 'others')
    expect(counts).toMatchObject({ cycles: names.length, ...CLEAN })
    expect([...counts.byName.keys()].sort()).toEqual(names.map((name) => `${store} ${name}`).sort())
  },
  SLOW,
)
