import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { KILLS, type Kill, type KillOptions, surviveAll } from '../../../test/workflows/kills.ts'
import type { EngineHarness } from '../../../test/workflows/world.ts'

const { WORKFLOW_SEEDS = '20', WORKFLOW_PROOF: kept } = process.env
const SEEDS = Number(WORKFLOW_SEEDS)

/** One engine with one seed: a worker after the other dies, at every place that is left. */
interface Round {
  readonly harness: EngineHarness
  readonly seed: number
  readonly kills: readonly Kill[]
}

interface RoundOptions extends Pick<KillOptions, 'over'> {
  readonly atOnce: number
}

function lineOf({ harness, seed }: Omit<Round, 'kills'>, kill: Kill): string {
  return `passed: ${harness.name}, ${kill}, seed ${seed}`
}

/**
 * Every engine, killed at every place, with every seed. WORKFLOW_SEEDS sets how many seeds (20), and
 * WORKFLOW_PROOF a file that keeps what passed: with it, a second run goes on where the first one stopped.
 * Returns how many failed.
 */
export async function playKills(
  harnesses: readonly EngineHarness[],
  { atOnce, over = 'store' }: RoundOptions,
): Promise<number> {
  const before = kept && existsSync(kept) ? readFileSync(kept, 'utf8').split('\n') : []
  const passed = new Set(before.filter((line) => line.startsWith('passed: ')))
  const rounds: Round[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    for (const harness of harnesses) {
      const kills = KILLS.filter((kill) => !passed.has(lineOf({ harness, seed }, kill)))
      if (kills.length > 0) rounds.push({ harness, seed, kills })
    }
  }

  let failed = 0
  function tell(round: Round, kill: Kill, error: unknown): void {
    const { harness, seed } = round
    const line =
      error === undefined
        ? lineOf(round, kill)
        : `FAILED ${harness.name}, ${kill}, seed ${seed}: ${String(error)}`
    if (error === undefined) passed.add(line)
    else {
      failed += 1
      process.stdout.write(`${line}\n`)
    }
    if (kept) appendFileSync(kept, `${line}\n`)
  }

  async function play(): Promise<void> {
    for (let round = rounds.shift(); round; round = rounds.shift()) {
      const { harness, seed, kills } = round
      const at = round
      try {
        await surviveAll(harness, kills, (kill, error) => tell(at, kill, error), { seed, over })
      } catch (error) {
        failed += 1
        process.stdout.write(`FAILED ${harness.name}, seed ${seed}: ${String(error)}\n`)
      }
    }
  }

  await Promise.all(Array.from({ length: atOnce }, play))
  for (const { name } of harnesses) {
    const count = [...passed].filter((line) => line.startsWith(`passed: ${name}, `)).length
    process.stdout.write(`${name}: survived ${count} of ${SEEDS * KILLS.length} kills\n`)
  }
  return failed
}
