import type { Command } from 'commander'
import type { Proposal, Proposals } from '../../../api/policy/proposals.ts'
import { usage } from '../../failure.ts'
import { printable } from '../../print/printable.ts'
import { type Api, withSession } from '../../session.ts'
import type { Run } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly dismiss?: string
  readonly json?: boolean
}

const SHORT = 8

export function addPropose(policy: Command, run: Run): void {
  takesDatabase(policy.command('propose'))
    .description('Propose changes of the rules that recorded answers speak for, with the evidence.')
    .option('--dismiss <proposal>', 'do not make this proposal again')
    .option('--json', 'print { days, proposals, dismissed }')
    .addHelpText(
      'after',
      '\nNothing is applied. A rule is accepted by an admin, a grant by a person who may approve the call.' +
        '\n\nExample:\n  $ countersign policy propose',
    )
    .action((options: Options) =>
      run((shell) =>
        withSession(options, shell, async (api) => {
          const found =
            options.dismiss === undefined
              ? await api.call('GET /v1/policy/proposals')
              : await dismissed(api, options.dismiss)
          if (options.json) shell.out.json(found)
          else for (const line of proposalLines(found)) shell.out.line(line)
          return 0
        }),
      ),
    )
}

async function dismissed(api: Api, prefix: string): Promise<Proposals> {
  const { proposals } = await api.call('GET /v1/policy/proposals')
  const found = proposals.filter(({ id }) => id.startsWith(prefix))
  const [only] = found
  if (!only || found.length > 1 || prefix.length < 4) {
    throw usage(
      `no single proposal begins with ${prefix}`,
      '`countersign policy propose` lists them; four characters are enough.',
    )
  }
  return api.call('POST /v1/policy/proposals/:proposal/dismiss', { params: { proposal: only.id } })
}

export function proposalLines({ days, proposals, dismissed: gone }: Proposals): string[] {
  const left = gone === 0 ? '' : ` (${gone} dismissed)`
  if (proposals.length === 0) {
    return [`Recorded answers of the last ${days} days speak for no change${left}.`]
  }
  return [
    ...proposals.flatMap(linesOf),
    `From answers of the last ${days} days${left}. Nothing is applied by itself.`,
  ]
}

function linesOf(proposal: Proposal): string[] {
  const { id, tool, server, calls, of, people } = proposal
  const name = server === undefined ? tool : `${server}/${tool}`
  const head = `${id.slice(0, SHORT)}  ${printable(name)}`
  if (proposal.kind === 'tighten') {
    const { words, denied, edited, examples } = proposal
    return [
      `${head}: ${printable(words)}`,
      `  people refused ${calls} of ${of} answered calls as asked (${denied} denied, ${edited} edited), ${people} people`,
      `  an admin accepts it: open ${examples[0] ?? ''} in the inbox and make a rule`,
      '',
    ]
  }
  const { agent, uses, for: lasts, from } = proposal
  return [
    `${head}: grant this exact call of ${printable(agent)} ${uses} times within ${lasts}`,
    `  approved ${calls} times by ${people} people; never denied, edited or failed`,
    `  a person who may approve it accepts it: POST /v1/grants with from ${from}`,
    '',
  ]
}
