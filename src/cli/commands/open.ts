import type { Command } from 'commander'
import { parseAddress } from '../../base/address.ts'
import { usage } from '../failure.ts'
import { newLink } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly as?: string
  readonly role?: readonly string[]
  readonly json?: boolean
}

export function addOpen(program: Command, run: Run): void {
  takesDatabase(program.command('open'))
    .description('Print a single-use sign-in link.')
    .option('--as <email>', 'for another person, whose address you vouch for')
    .option(
      '--role <roles...>',
      'with --as: viewer, approver, author, admin; viewer and approver unless set',
    )
    .option('--json', 'print one JSON object with the link')
    .addHelpText(
      'after',
      '\nExamples:\n  $ countersign open\n  $ countersign open --as ana@example.com --role viewer approver',
    )
    .action((options: Options) => run((shell) => open(options, shell)))
}

async function open(options: Options, shell: Shell): Promise<number> {
  const { url, token } = await newLink(options, shell, readPerson(options))
  const link = new URL(`#signin=${token}`, url).href
  if (options.json) shell.out.json({ link })
  else shell.out.line(link)
  return 0
}

const ROLES = ['viewer', 'approver', 'author', 'admin'] as const

function readPerson({ as: email, role }: Options) {
  if (email === undefined) {
    if (role === undefined) return undefined
    throw usage('--role goes with --as', 'Say whose roles: --as ana@example.com --role viewer.')
  }
  const address = parseAddress(email)
  if (!address.ok) {
    throw usage(`--as ${email} is not an address`, 'Use the e-mail address that policies name.')
  }
  const roles = (role ?? ['viewer', 'approver']).map((word) => {
    const known = ROLES.find((one) => one === word)
    if (known !== undefined) return known
    throw usage(`--role ${word} is unknown`, `Use ${ROLES.join(', ')}.`)
  })
  return { email: address.value, roles }
}
