import type { Command } from 'commander'
import { CountersignError } from '../../../base/errors.ts'
import { withSession } from '../../session.ts'
import type { Run } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'
import { namedVersion } from './versions.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
}

export function addRollback(policy: Command, run: Run): void {
  takesDatabase(policy.command('rollback'))
    .description("Write an earlier version into the owner's policy file, as a draft.")
    .argument('<version>', 'the first characters of its id')
    .option('--json', 'print the draft')
    .addHelpText(
      'after',
      '\nNothing comes into force: `countersign policy apply` does that.' +
        '\nGovernance files are left as they are.' +
        '\n\nExample:\n  $ countersign policy rollback 3f9a && countersign policy apply',
    )
    .action((prefix: string, options: Options) =>
      run((shell) =>
        withSession(options, shell, async (api) => {
          const { id: version } = await namedVersion(api, prefix)
          const found = await api.call('GET /v1/policy/versions/:version', { params: { version } })
          const text = found.files.find(({ role }) => role === 'owner')?.text
          if (text === undefined) {
            throw new CountersignError('not_found', 'this version has no file of the owner')
          }
          const draft = await api.call('PUT /v1/policy/draft', { body: { text, base: found.base } })
          if (options.json) shell.out.json(draft)
          else {
            shell.out.line('The file holds that version now. It is a draft.')
            shell.out.line('`countersign policy apply` shows what changes and puts it into force.')
          }
          return 0
        }),
      ),
    )
}
