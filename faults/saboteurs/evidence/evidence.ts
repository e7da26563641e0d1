import type { Saboteur } from '../saboteur.ts'

const evidence = { tests: ['test/server/evidence.test.ts'] } as const
const metrics = { tests: ['test/server/metrics.test.ts'] } as const
const restored = { tests: ['test/stores/restored-feed.test.ts'] } as const

/** What auditors and operators read. */
export const EVIDENCE_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a restored record is read by the transactions of another cluster',
    file: 'src/store/postgres/open.ts',
    before: 'if (until <= known) return known',
    after: 'if (until >= known) return known',
    caughtBy: restored,
  },
  {
    name: 'restored entries are told as news every second',
    file: 'src/store/postgres/feed.ts',
    before: "'position > (select coalesce(max(restored_until), 0) from countersign.identity)'",
    after: "'position > 0'",
    caughtBy: restored,
  },
  {
    name: 'retain erases the texts of policies',
    file: 'src/store/memory/index.ts',
    before: "if (kind === 'policy' || isHeld",
    after: "if ((kind === 'policy' && before === 0) || isHeld",
    caughtBy: evidence,
  },
  {
    name: 'a policy comes into force without its texts on record',
    file: 'src/server/policy/policy-amendment.ts',
    before: 'value: { role, text },',
    after: 'value: { role, text: text.slice(0, 0) },',
    caughtBy: evidence,
  },
  {
    name: 'refused attempts are not on record',
    file: 'src/server/http/route.ts',
    before: 'if (attempt) door.refused(attempt)',
    after: 'if (attempt && door === undefined) door.refused(attempt)',
    caughtBy: evidence,
  },
  {
    name: 'each refused attempt is an entry of its own',
    file: 'src/server/evidence/refused-attempts.ts',
    before: 'groups.size < MOST_ENTRIES &&',
    after: 'MOST_ENTRIES > 0 &&',
    caughtBy: evidence,
  },
  {
    name: 'one caller takes all entries of refused attempts',
    file: 'src/server/evidence/refused-attempts.ts',
    before: '&& entriesOf(attempt.by) < MOST_OF_ONE',
    after: '&& entriesOf(attempt.by) >= 0 * MOST_OF_ONE',
    caughtBy: evidence,
  },
  {
    name: 'invented names of tools fill the record',
    file: 'src/server/evidence/verdict-counts.ts',
    before: 'else if (lines.size < MOST_LINES) {',
    after: 'else if (MOST_LINES > 0) {',
    caughtBy: evidence,
  },
  {
    name: 'calls on the fast path are not counted',
    file: 'src/gate/pipeline/check.ts',
    before: 'emitAllowed(core.listeners, call, caller.agent)',
    after: '',
    caughtBy: { tests: ['test/gate/judged.test.ts'] },
  },
  {
    name: 'metrics are read from elsewhere with any token',
    file: 'src/server/routes/system.ts',
    before: 'if (isTheirs) return',
    after: "if (isTheirs || sent !== '') return",
    caughtBy: metrics,
  },
  {
    name: 'each server counts what all servers recorded',
    file: 'src/gate/metrics/approval-events.ts',
    before: "writer === store.instance && 'approval' in event",
    after: "writer !== '' && 'approval' in event",
    caughtBy: metrics,
  },
]
