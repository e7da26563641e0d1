import type { Saboteur } from '../saboteur.ts'

const made = { tests: ['test/audit-report.test.ts'] } as const
const duties = { tests: ['src/gate/audit/report/duties-report.test.ts'] } as const

export const REPORT_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a report is made from a record that does not verify',
    file: 'src/cli/commands/audit/audit-report.ts',
    before: '  if (problem) {',
    after: '  if (problem && options.sign) {',
    caughtBy: made,
  },
  {
    name: 'a report tells what people wrote without being asked for it',
    file: 'src/cli/commands/audit/audit-report.ts',
    before: 'options.content ? entry :',
    after: 'shell ? entry :',
    caughtBy: made,
  },
  {
    name: 'a text of an agent is markup in a report',
    file: 'src/cli/report/html.ts',
    before: 'escaped(printable(text))',
    after: 'printable(text)',
    caughtBy: made,
  },
  {
    name: 'a report is signed whatever its bytes are',
    file: 'src/cli/report/signature.ts',
    before: "payload.sha256 === hash('sha256', bytes)",
    after: 'payload.sha256.length === 64',
    caughtBy: made,
  },
  {
    name: 'a report is signed with a key that the record does not name',
    file: 'src/gate/proof/keys.ts',
    before: 'if (published.some(({ kid }) => kid === key.kid)) {',
    after: 'if (published.length >= 0) {',
    caughtBy: made,
  },
  {
    name: 'an acting user who decides goes unnamed',
    file: 'src/gate/audit/report/duties-report.ts',
    before: 'samePerson(person, principal)',
    after: 'person === principal',
    caughtBy: duties,
  },
  {
    name: 'a removed person still has access in a review',
    file: 'src/gate/audit/report/access-report.ts',
    before: 'if (now === undefined) this.#people.delete(key)',
    after: 'if (now === undefined) return',
    caughtBy: duties,
  },
]
