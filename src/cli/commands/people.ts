import type { Command } from 'commander'
import type { WireAccount, WireRole } from '../../api/people.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { count } from '../print/show-mistakes.ts'
import { findPerson, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'
import { addStandIn } from './stand-in.ts'

interface Options extends DatabaseOptions {
  readonly role?: readonly string[]
  readonly name?: string
  readonly yes?: boolean
  readonly json?: boolean
}

export function addPeople(program: Command, run: Run): void {
  const people = program
    .command('people')
    .description('Who may sign in here, and with which roles.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign people add ana@example.com --role approver')
  takesDatabase(people.command('list', { isDefault: true }))
    .description('List all people.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign people list')
    .action((options: Options) => run((shell) => list(options, shell)))
  takesDatabase(people.command('add'))
    .description('Add a person whose address you vouch for.')
    .argument('<email>')
    .option('--role <roles...>', 'viewer, approver, author, admin', ['viewer', 'approver'])
    .option('--name <text>', 'as others see it')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign people add ana@example.com --role approver')
    .action((email: string, options: Options) => run((shell) => add(email, options, shell)))
  takesDatabase(people.command('role'))
    .description('Replace the roles of a person.')
    .argument('<person>', 'address or name')
    .argument('<roles...>', 'viewer, approver, author, admin')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign people role ana@example.com viewer')
    .action((who: string, roles: string[], options: Options) =>
      run((shell) => changeRoles(who, roles, options, shell)),
    )
  takesDatabase(people.command('remove'))
    .description('Remove a person. What they answered earlier stops counting at once.')
    .argument('<person>', 'address or name')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign people remove ana@example.com')
    .action((who: string, options: Options) => run((shell) => remove(who, options, shell)))
  takesDatabase(people.command('erase'))
    .description('Remove a person and erase what can be erased of them. It cannot be undone.')
    .argument('<person>', 'the address they sign in with, or their subject')
    .option('--yes', 'you are sure')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign people erase ana@example.com --yes')
    .action((who: string, options: Options) => run((shell) => erase(who, options, shell)))
  addStandIn(people, run)
}

const ROLES: readonly WireRole[] = ['viewer', 'approver', 'author', 'admin']

function readRoles(words: readonly string[]): WireRole[] {
  return words.map((word) => {
    const known = ROLES.find((one) => one === word)
    if (known !== undefined) return known
    throw usage(`${word} is no role`, `Use ${ROLES.join(', ')}.`)
  })
}

function list(options: Options, shell: Shell): Promise<number> {
  return withSession(options, shell, async (api) => {
    const found = await api.call('GET /v1/people')
    if (options.json) shell.out.json(found)
    else for (const one of found.people) shell.out.line(personLine(one))
    return 0
  })
}

function add(email: string, options: Options, shell: Shell): Promise<number> {
  const { name, role = [] } = options
  const body = { email, roles: readRoles(role), ...(name === undefined ? {} : { name }) }
  return withSession(options, shell, async (api) =>
    told(await api.call('POST /v1/people', { body }), options, shell),
  )
}

function changeRoles(who: string, words: string[], options: Options, shell: Shell) {
  const roles = readRoles(words)
  return withSession(options, shell, async (api) => {
    const { id: person } = await findPerson(api, who)
    const body = { roles }
    return told(
      await api.call('POST /v1/people/:person', { params: { person }, body }),
      options,
      shell,
    )
  })
}

function remove(who: string, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const { id: person } = await findPerson(api, who)
    const removed = await api.call('DELETE /v1/people/:person', { params: { person } })
    if (options.json) {
      out.json(removed)
      return 0
    }
    out.line(`Removed: ${personLine(removed.person)}`)
    for (const one of removed.unreachable) {
      out.line(`  cannot be approved any more: ${one.id.slice(-8)}, ${printable(one.says)}`)
    }
    return 0
  })
}

function erase(who: string, options: Options, shell: Shell): Promise<number> {
  if (!options.yes) {
    throw usage('erasing a person cannot be undone', 'Add --yes when you are sure.')
  }
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const { people, removed = [] } = await api.call('GET /v1/people')
    const word = who.toLowerCase()
    const [only] = [...people, ...removed].filter(
      ({ email, subject }) => email?.toLowerCase() === word || subject.toLowerCase() === word,
    )
    if (!only) {
      throw usage(`no person is called ${who}`, '`countersign people list` lists all people.')
    }
    const params = { person: only.id }
    const done = await api.call('POST /v1/people/:person/erase', { params })
    if (options.json) out.json(done)
    else {
      out.line(`Erased: ${count(done.erased, 'piece')} of content, ${count(done.grants, 'grant')}`)
      if (done.kept > 0) {
        out.line(
          `Kept for now: ${count(done.kept, 'piece')}. Run it again when their calls are over and no hold keeps them.`,
        )
      }
    }
    return 0
  })
}

function told(person: WireAccount, { json }: Options, { out }: Shell): number {
  if (json) out.json(person)
  else out.line(personLine(person))
  return 0
}

function personLine({ issuer, subject, email, name, roles }: WireAccount): string {
  const called = name === undefined ? '' : `  ${printable(name)}`
  const from = issuer === 'local' ? '' : `  (${printable(issuer)})`
  return `${printable(email ?? subject)}${called}  ${roles.join(', ') || 'no role'}${from}`
}
