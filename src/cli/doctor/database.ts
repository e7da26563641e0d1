import { isCountersignError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import { type Finding, note, ok, problem, warning } from './finding.ts'

const PROBE = 'doctor'

/** Whether the database keeps what it is given, and what it says about itself. */
export async function databaseFindings(store: Store, machine: () => number): Promise<Finding[]> {
  return [
    await writable(store),
    ...store.warnings.map((text) =>
      warning('database', text, 'See docs/operate/install.md for what is safe.'),
    ),
    await clock(store, machine),
    quarantine(store),
  ]
}

async function writable({ name, records }: Store): Promise<Finding> {
  try {
    await records.put(PROBE, 'probe', {})
    await records.remove(PROBE, 'probe')
    return ok('database', `the ${name} database answers and can be written`)
  } catch (error) {
    const why = isCountersignError(error) ? error.message : 'it refused a write'
    return problem('database', `it cannot be written: ${why}`, 'Check its disk and permissions.')
  }
}

const SKEW_MS = 5_000
const TOO_MUCH_MS = 60_000

async function clock(store: Store, machine: () => number): Promise<Finding> {
  const before = machine()
  const apart = Math.abs((await store.now()) - (before + machine()) / 2)
  const seconds = Math.round(apart / 1_000)
  if (apart > TOO_MUCH_MS) {
    return problem(
      'clock',
      `the database's clock and this machine's are ${seconds} s apart`,
      'Set both by NTP: sign-ins and deadlines go wrong.',
    )
  }
  return apart > SKEW_MS
    ? warning(
        'clock',
        `the database's clock is ${seconds} s off this machine's`,
        'Use NTP on both.',
      )
    : ok('clock', "the database's clock agrees with this machine's")
}

const REASONS = {
  copied: 'not where it was before: a copy, or a backup put back',
  restored: 'missing events that were written: a backup was put back',
  promoted:
    'taken over by a standby, or replayed from a backup, and may lack what was written last',
  head_missing: 'without the head.json that was kept beside it',
  head_unreadable: 'beside a head.json that cannot be read',
} as const

function quarantine({ quarantine: found }: Store): Finding {
  if (!found) return ok('restored', 'the database was never found to be a copy or a backup')
  const at = new Date(found.at).toISOString()
  return note(
    'restored',
    `on ${at} the database was ${REASONS[found.reason]}; every yes that was unused then is void, and nothing is switched off`,
    'Agents ask again. Locks, removals and revoked tokens from after the backup are gone: see docs/operate/backup.md.',
  )
}
