import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GRANT_RACES, type GrantRace, playGrants } from '../faults/races/grant-races.ts'
import { PAIRS } from '../faults/races/interleavings.ts'
import { openRace, type Race } from '../faults/races/race.ts'
import { freshDatabase } from './support/postgres.ts'
import { promise } from './support/promise.ts'

/** `npm run proof interleavings` plays 10,000. */
const SEEDS = 25

describe.each(['sqlite', 'postgres'] as const)('two processes on one approval in %s', (kind) => {
  let race: Race
  let folder: string

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'countersign-interleavings-'))
    const file = path.join(folder, 'approvals.db')
    race = await openRace(kind, kind === 'sqlite' ? file : await freshDatabase())
  })

  afterAll(async () => {
    await race.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each(PAIRS)(`$name at once end like one after the other, ${SEEDS} times`, async (pair) => {
    expect((await race.run(pair, SEEDS)).slice(0, 3)).toEqual([])
  })

  promise.each(
    ['CS-GRANT-2', 'CS-GRANT-3'],
    'two processes and one grant',
    GRANT_RACES.map((one): [string, GrantRace] => [one.name, one]),
    async (_, one) => {
      expect((await playGrants(race, one, SEEDS)).slice(0, 3)).toEqual([])
    },
  )
})
