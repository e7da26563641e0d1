import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { governanceSchema, policySchema } from '../../../policy/grammar/json-schema.ts'
import { usage } from '../../failure.ts'
import { whyNotWritten } from '../../files.ts'
import type { Run } from '../../shell.ts'

export function addSchema(policy: Command, run: Run): void {
  policy
    .command('schema')
    .description('Print the JSON Schema of policy files, for completion and help in editors.')
    .option('--out <file>', 'write it to this file instead')
    .option('--governance', 'the schema of governance files instead')
    .option('--json', 'the schema is JSON in any case')
    .addHelpText(
      'after',
      '\nExample:\n  $ countersign policy schema --out countersign.schema.json\n' +
        '  and as the first line of countersign.yaml:\n' +
        '  # yaml-language-server: $schema=countersign.schema.json',
    )
    .action(({ out, governance = false }: { out?: string; governance?: boolean }) =>
      run((shell) => {
        const text = schemaText(governance ? governanceSchema() : policySchema())
        if (out === undefined) void shell.out.write(text)
        else writeSchema(path.resolve(shell.cwd, out), text, out)
        return 0
      }),
    )
}

export function schemaText(schema: object = policySchema()): string {
  return `${JSON.stringify(schema, null, 2)}\n`
}

function writeSchema(file: string, text: string, shown: string): void {
  try {
    writeFileSync(file, text)
  } catch (error) {
    throw usage(
      `${shown} cannot be written: ${whyNotWritten(error)}`,
      'Name a file in a folder that exists and that you may write to.',
    )
  }
}
