import type { Command } from 'commander'
import type { DraftRule, PolicyDraft } from '../../../api/policy.ts'
import { CountersignError } from '../../../base/errors.ts'
import { askLine } from '../../ask-line.ts'
import { usage } from '../../failure.ts'
import { printable, printableLines } from '../../print/printable.ts'
import { withSession } from '../../session.ts'
import type { Run, Shell } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly name?: string
  readonly json?: boolean
}

export function addApply(policy: Command, run: Run): void {
  takesDatabase(policy.command('apply'))
    .description('Apply the policy files to the running server.')
    .option('--name <digest>', 'apply without asking, if the files are exactly this policy')
    .option('--json', 'print what was found or done; without --name nothing is applied')
    .addHelpText(
      'after',
      '\nA changed file is not in force until then. Shows which rules come and go, and asks for the last' +
        '\nfour characters of the new policy. A file with mistakes changes nothing.' +
        '\n\nExample:\n  $ countersign policy apply',
    )
    .action((options: Options) => run((shell) => apply(options, shell)))
}

function apply(options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  return withSession(options, shell, async (api) => {
    const draft = await api.call('GET /v1/policy/draft')
    if (draft === null) {
      throw new CountersignError('not_found', 'the policy of this server is in code', {
        hint: 'There is no file to apply. Change the program that starts the server.',
      })
    }
    const { name, problem } = draft
    if (problem || name === undefined) {
      throw new CountersignError('policy_invalid', problem?.message ?? 'nothing can be loaded', {
        hint: 'What is in force stays in force. Correct the files, then run this again.',
      })
    }
    if (!draft.changed) {
      if (options.json) out.json(draft)
      else out.line('The files say what is in force already.')
      return 0
    }
    if (!options.json) for (const line of draftLines(draft)) out.line(line)
    if (options.json && options.name === undefined) {
      out.json(draft)
      return 0
    }
    const wanted = options.name ?? (await confirmed(name, shell))
    const after = await api.call('POST /v1/policy/apply', { body: { name: wanted } })
    if (options.json) out.json(after)
    else out.line('It is in force now.')
    return 0
  })
}

/** By hand: an agent that can write the file must not be able to put it into force as well. */
async function confirmed(name: string, shell: Shell): Promise<string> {
  const { stdin, out } = shell
  if (!('isTTY' in stdin && stdin.isTTY === true) || !out.terminal) {
    throw usage(
      'applying a policy needs a terminal with a person at it',
      `Run it in a terminal, or name exactly what you looked at: --name ${name}`,
    )
  }
  const typed = await askLine(shell, `\nType the last four characters of it to apply: `)
  if (typed.trim().toLowerCase() === name.slice(-4)) return name
  throw usage('these are not the last four characters', 'Nothing was applied.')
}

function draftLines({ name = '', added = [], removed = [] }: PolicyDraft): string[] {
  const line = (sign: string) => (rule: DraftRule) =>
    `${sign} ${rule.asks.padEnd(7)} ${printable(rule.name)}: ${printableLines([rule.words, ...rule.details].join('. ')).join(' ')}`
  const rules = [...removed.map(line('-')), ...added.map(line('+'))]
  return [
    ...(rules.length > 0
      ? rules
      : ['No rule, group or way to a server reads differently; something else in the files does.']),
    `policy ${name}`,
  ]
}
