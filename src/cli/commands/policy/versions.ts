import type { Command } from 'commander'
import type { PolicyVersions } from '../../../api/policy/versions.ts'
import { usage } from '../../failure.ts'
import { moment } from '../../print/moment.ts'
import { printable } from '../../print/printable.ts'
import { type Api, withSession } from '../../session.ts'
import type { Run } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
}

type Version = PolicyVersions['versions'][number]

export function addVersions(policy: Command, run: Run): void {
  takesDatabase(policy.command('versions'))
    .description('List the policies that were put into force, when and by whom.')
    .option('--json', 'print { versions }')
    .addHelpText('after', '\nExample:\n  $ countersign policy versions')
    .action((options: Options) =>
      run((shell) =>
        withSession(options, shell, async (api) => {
          const { versions } = await api.call('GET /v1/policy/versions')
          if (options.json) shell.out.json({ versions })
          else for (const line of versions.map(versionLine)) shell.out.line(line)
          return 0
        }),
      ),
    )
}

const SHORT = 12

function versionLine({ id, at, by, loaded, active }: Version): string {
  const who = by ? (by.email ?? by.subject) : 'the operator'
  const what = loaded ? `loaded by ${who}` : `applied by ${who}`
  return `${id.slice(0, SHORT)}  ${moment(at)}  ${printable(what)}${active ? '  in force' : ''}`
}

/** The one version whose id begins so. */
export async function namedVersion(api: Api, prefix: string): Promise<Version> {
  const { versions } = await api.call('GET /v1/policy/versions')
  const found = versions.filter(({ id }) => id.startsWith(prefix.toLowerCase()))
  const [only] = found
  if (only && found.length === 1 && prefix.length >= 4) return only
  throw usage(
    found.length > 1 && prefix.length >= 4
      ? `several versions begin with ${prefix}`
      : `no version of the policy begins with ${prefix}`,
    '`countersign policy versions` lists them; four characters are enough.',
  )
}
