import type { Saboteur } from '../saboteur.ts'

const support = { tests: ['test/cli/support.test.ts'] } as const
const top = { tests: ['src/cli/watch/top-lines.test.ts'] } as const

/** What operators look at and send away. */
export const WATCH_SABOTEURS: readonly Saboteur[] = [
  {
    name: 'a support file holds the secrets of the settings',
    file: 'src/cli/commands/operate/support.ts',
    before: 'redacted(bundle, known)',
    after: 'redacted(bundle, known.slice(0, 0))',
    caughtBy: support,
  },
  {
    name: 'a support file holds a secret that came from a file',
    file: 'src/cli/commands/operate/support.ts',
    before: '/^COUNTERSIGN_.*_FILE$/',
    after: '/^COUNTERSIGN_.*_FOLDER$/',
    caughtBy: support,
  },
  {
    name: 'a support file names people',
    file: 'src/cli/watch/redact.ts',
    before: ".replace(ADDRESS, '[address]')",
    after: '',
    caughtBy: support,
  },
  {
    name: 'top counts down when a server was started again',
    file: 'src/cli/watch/samples.ts',
    before: '(is >= was ? is - was : is)',
    after: '(is - was)',
    caughtBy: top,
  },
]
