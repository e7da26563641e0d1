import type { Saboteur } from '../saboteur.ts'

const conformance = { tests: ['test/stores.test.ts'] } as const
const holds = { tests: ['test/holds.test.ts'] } as const

const erasure = { tests: ['test/erasure.test.ts'] } as const

/** What must not be erased, and what has to be. */
export const HOLD_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'SQLite erases what a hold keeps',
    file: 'src/store/sqlite/erase.ts',
    before: 'if (holds.length === 0) return',
    after: 'if (holds.length >= 0) return',
    caughtBy: conformance,
  },
  {
    name: 'Postgres erases what a hold keeps',
    file: 'src/store/postgres/erase.ts',
    before: 'const isFree = holds.length === 0',
    after: 'const isFree = holds.length >= 0',
    caughtBy: conformance,
  },
  {
    name: 'a hold that cannot be read keeps nothing',
    file: 'src/store/engine/erasable.ts',
    before: 'holdOn(holds, heldApproval(known)) !== undefined',
    after: "(holdOn(holds, heldApproval(known)) ?? { id: 'unreadable' }).id !== 'unreadable'",
    caughtBy: conformance,
  },
  {
    name: 'a hold on a person keeps what they answered under one login alone',
    file: 'src/approval/holds/hold.ts',
    before: 'return mayBe(named(one), other) || mayBe(named(other), one)',
    after: 'return one.issuer === other.issuer && one.subject === other.subject',
    caughtBy: holds,
  },
  {
    name: 'every approver places holds',
    file: 'src/api/routes/holds.ts',
    before: "who: ['admin'],\n    summary: 'Place",
    after: "who: ['admin', 'approver'],\n    summary: 'Place",
    caughtBy: { tests: ['test/server/matrix.test.ts'] },
  },
  {
    name: 'a person is erased although a hold names them',
    file: 'src/server/identity/erase-person.ts',
    before: 'if (!hold) return',
    after: "if (!hold || hold.reason !== '') return",
    caughtBy: erasure,
  },
  {
    name: 'erasing a person erases what is still to be decided',
    file: 'src/store/engine/erasable.ts',
    before: 'return !isNeeded(approval) &&',
    after: 'return approval &&',
    caughtBy: erasure,
  },
  {
    name: 'erasing a person leaves what others were told about them',
    file: 'src/server/identity/erase-person.ts',
    before: '  if (isIn(text)) return true\n',
    after: '',
    caughtBy: erasure,
  },
]
