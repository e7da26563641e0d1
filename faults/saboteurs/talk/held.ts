import type { Saboteur } from '../saboteur.ts'

const quiet = { tests: ['test/gate/quiet-hours.test.ts'] } as const
const said = { tests: ['test/gate/talk-notices.test.ts'] } as const

/** What waits for a person, and what is said to them. */
export const HELD_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'what was held is tried without a pause until it is given up',
    file: 'src/gate/notify/send-held.ts',
    before: 'due: now + (pause ?? pauseAfter(attempts, retryAfter))',
    after: 'due: now',
    caughtBy: quiet,
  },
  {
    name: 'the turn of a channel comes in quiet hours',
    file: 'src/gate/notify/send-held.ts',
    before: "return later ? { state: 'quiet', until: later.due } : { held, ...now }",
    after: 'return later === null ? later : { held, ...now }',
    caughtBy: quiet,
  },
  {
    name: 'what was said in the night is told only once',
    file: 'src/gate/notify/addressed.ts',
    before: '(!isTalk(kind) && revision >= approval.revision)',
    after: 'revision >= approval.revision',
    caughtBy: quiet,
  },
  {
    name: 'a change in quiet hours counts as told',
    file: 'src/gate/notify/addressed.ts',
    before: 'told.filter((address) => !later.includes(address))',
    after: 'told',
    caughtBy: quiet,
  },
  {
    name: 'words of an agent close their quotation',
    file: 'src/channels/notice-words.ts',
    before: `.replaceAll(/[“”„‟]/g, '"')`,
    after: '',
    caughtBy: said,
  },
  {
    name: 'a yes that no longer counted is named among those who decided',
    file: 'src/gate/notify/who-decided.ts',
    before: ' && !lockOnPerson(locks, by, decidedAt)',
    after: '',
    caughtBy: { tests: ['test/gate/addressed-order.test.ts'] },
  },
]
