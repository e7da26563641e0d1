/** Every pair of operations on one approval or one grant, 10,000 times each, on both databases. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crashablePostgres } from '../../faults/nemeses/crashable-postgres.ts'
import { GRANT_RACES, playGrants } from '../../faults/races/grant-races.ts'
import { PAIRS } from '../../faults/races/interleavings.ts'
import { openRace } from '../../faults/races/race.ts'

const SEEDS = Number(process.env.INTERLEAVINGS ?? 10_000)
const GRANTS_AT_ONCE = 100
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-interleavings-'))
const postgres = await crashablePostgres()
let found = 0
try {
  for (const kind of ['sqlite', 'postgres'] as const) {
    const file = path.join(folder, 'approvals.db')
    const race = await openRace(kind, kind === 'sqlite' ? file : await postgres.newDatabase())
    for (const pair of PAIRS) {
      const problems = await race.run(pair, SEEDS)
      found += problems.length
      for (const problem of problems.slice(0, 5)) process.stdout.write(`${kind}: ${problem}\n`)
    }
    for (const one of GRANT_RACES) {
      for (let done = 0; done < SEEDS; done += GRANTS_AT_ONCE) {
        const problems = await playGrants(race, one, Math.min(GRANTS_AT_ONCE, SEEDS - done))
        found += problems.length
        for (const problem of problems.slice(0, 5)) process.stdout.write(`${kind}: ${problem}\n`)
      }
    }
    await race.close()
  }
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.stdout.write(
  `${2 * (PAIRS.length + GRANT_RACES.length) * SEEDS} interleavings, ${found} wrong\n`,
)
process.exitCode = found === 0 ? 0 : 1
