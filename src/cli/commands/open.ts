import type { Command } from 'commander'
import { CountersignError } from '../../base/errors.ts'
import { assertThere, databasePlace } from '../database.ts'
import { usage } from '../failure.ts'
import { type DatabaseOptions, openStore, takesDatabase } from '../open-store.ts'
import { readServerFile } from '../server-file.ts'
import type { Run, Shell } from '../shell.ts'

interface Options extends DatabaseOptions {
  readonly as?: string
  readonly role?: readonly string[]
  readonly json?: boolean
}

export function addOpen(program: Command, run: Run): void {
  takesDatabase(program.command('open'))
    .description('Print another link that signs you in, once.')
    .option('--as <email>', 'for somebody else, whose address you vouch for')
    .option('--role <roles...>', 'their roles: viewer, approver, admin', ['viewer', 'approver'])
    .option('--json', 'print one JSON object with the link')
    .addHelpText(
      'after',
      '\nExamples:\n  $ countersign open\n  $ countersign open --as ana@example.com --role viewer approver',
    )
    .action((options: Options) => run((shell) => open(options, shell)))
}

async function open(options: Options, shell: Shell): Promise<number> {
  const place = databasePlace(options.db, shell)
  assertThere(place)
  const url = shell.env.COUNTERSIGN_URL ?? readServerFile(place.folder)?.url
  if (url === undefined || !(await answers(url))) {
    throw new CountersignError('server_unreachable', 'no Countersign runs on this database', {
      hint: 'Run `countersign start`; it prints a link as well.',
    })
  }
  const store = await openStore(place, options)
  try {
    const { signInSecret } = await import('../../server/identity/invite.ts')
    const secret = await signInSecret(store, readPerson(options))
    const link = new URL(`#signin=${secret}`, url).href
    if (options.json) shell.out.json({ link })
    else shell.out.line(link)
    return 0
  } finally {
    await store.close()
  }
}

const ROLES = ['viewer', 'approver', 'admin'] as const

function readPerson({ as: email, role = [] }: Options) {
  if (email === undefined) return undefined
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw usage(`--as ${email} is not an address`, 'Use the e-mail address that policies name.')
  }
  const roles = role.map((word) => {
    const known = ROLES.find((one) => one === word)
    if (known !== undefined) return known
    throw usage(`--role ${word} is unknown`, `Use ${ROLES.join(', ')}.`)
  })
  return { email: email.toLowerCase(), roles }
}

async function answers(url: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(3_000)
    return (await fetch(new URL('healthz', url), { signal })).ok
  } catch {
    return false
  }
}
