import type { Command } from 'commander'
import type { ApprovalCard, DecisionBody } from '../../api/approval.ts'
import type { GrantWishBody } from '../../api/grant.ts'
import { CountersignError } from '../../base/errors.ts'
import { askLine } from '../ask-line.ts'
import { usage } from '../failure.ts'
import { setPayload } from '../options/form-options.ts'
import { type GrantOptions, grantWish, takesGrant } from '../options/grant-options.ts'
import { printable } from '../print/printable.ts'
import { cardLines } from '../print/show-approval.ts'
import { jsonLines } from '../print/show-values.ts'
import { type Api, assertPerson, findId, withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions, GrantOptions {
  readonly grant?: boolean
  readonly reason?: string
  readonly answer?: string
  readonly payload?: string
  readonly set?: readonly string[]
  readonly json?: boolean
}

export function addDecide(program: Command, run: Run): void {
  takesGrant(takesDatabase(program.command('approve')))
    .description('Approve a call after reading it on this terminal.')
    .argument('<id>', 'whole, or its last characters')
    .option('--reason <text>', 'why')
    .option('--payload <json>', 'data for the tool, and for those who wait for the answer')
    .option('--set <key=value>', 'one answer to the form of the call; may be repeated', collected)
    .option('--grant', 'and to calls like this one; the same arguments in the same run unless set')
    .option('--any-run', 'the grant is good in every run of the agent')
    .option('--json', 'print the approval afterwards as JSON')
    .addHelpText(
      'after',
      '\nShows the call and asks for the last four characters of its digest. There is no way around' +
        '\nthat: it needs a terminal with a person at it.\n\nExamples:\n  $ countersign approve 4reads6' +
        '\n  $ countersign approve 4reads6 --set amount=120 --set account=savings',
    )
    .action((id: string, options: Options) => run((shell) => approve(id, options, shell)))
  takesDatabase(program.command('deny'))
    .description('Deny a call.')
    .argument('<id>', 'whole, or its last characters')
    .option('--reason <text>', 'why; the agent reads it')
    .option('--answer <text>', 'what the model should read instead of a result')
    .option('--json', 'print the approval afterwards as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign deny 4reads6 --reason "Not this month"')
    .action((id: string, options: Options) => run((shell) => deny(id, options, shell)))
  takesDatabase(program.command('lift'))
    .description('Lift a denial, so that an equal call of the same run asks again.')
    .argument('<id>', 'whole, or its last characters')
    .option('--json', 'print the approval afterwards as JSON')
    .addHelpText('after', '\nExample:\n  $ countersign lift 4reads6')
    .action((id: string, options: Options) => run((shell) => lift(id, options, shell)))
}

function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}

function approve(given: string, options: Options, shell: Shell): Promise<number> {
  const { out } = shell
  assertPerson(shell, 'approving')
  const wish = wishOf(options)
  payloadOf(options, undefined)
  return withSession(options, shell, async (api) => {
    const id = await findId(api, given)
    const card = await api.call('GET /v1/approvals/:id', { params: { id } })
    for (const line of cardLines(card, out.paint)) out.line(line)
    if (!card.can.includes('approve')) {
      const why = card.mine.may ? 'this cannot be approved' : card.mine.why
      throw new CountersignError('not_permitted', why)
    }
    const payload = payloadOf(options, card)
    if ('payload' in payload && card.form !== undefined) {
      out.line('')
      out.line(out.paint('bold', 'Your answers'))
      for (const line of jsonLines(payload.payload)) out.line(line)
    }
    if (wish) await showProposal(api, id, wish, shell)
    const typed = await askLine(shell, '\nType the last four characters of the digest to approve: ')
    if (typed.trim().toLowerCase() !== card.digest.slice(-4)) {
      throw usage('these are not the last four characters', 'Nothing was decided.')
    }
    const yes = { verdict: 'approve', digest: card.digest, ...payload } as const
    return decide(api, card, wish ? { ...yes, grant: wish } : yes, options, shell)
  })
}

/** Checked before the session as far as that goes, so that a typing mistake shows at once. */
function payloadOf(
  { payload, set }: Options,
  card: ApprovalCard | undefined,
): { readonly payload?: unknown } {
  if (payload !== undefined && set !== undefined) {
    throw usage('--payload and --set do not go together', 'Give all answers in one way.')
  }
  if (payload !== undefined) {
    try {
      return { payload: JSON.parse(payload) as unknown }
    } catch {
      throw usage('--payload is not JSON', 'Quote it for your shell: --payload \'{"account":"B"}\'')
    }
  }
  if (card === undefined || (set === undefined && card.form === undefined)) return {}
  if (card.form === undefined) {
    throw usage('this call has no form, so --set has nothing to fill in', 'Use --payload instead.')
  }
  return { payload: setPayload(card.form, set ?? []) }
}

function wishOf(options: Options): GrantWishBody | undefined {
  if (options.grant) return grantWish(options)
  const stray = ['uses', 'for', 'when', 'budget', 'anyRun'].find((name) => name in options)
  if (stray !== undefined)
    throw usage(`--${stray} goes with --grant`, 'Add --grant, or leave it out.')
  return undefined
}

/** Shows the exact rule before the user agrees to it. */
async function showProposal(
  api: Api,
  id: string,
  wish: GrantWishBody,
  { out }: Shell,
): Promise<void> {
  const { rule, may, why } = await api.call('POST /v1/approvals/:id/grant-proposal', {
    params: { id },
    body: wish,
  })
  if (!may) throw new CountersignError('not_grantable', why ?? 'no grant can be made for this call')
  out.line('')
  out.line(out.paint('bold', 'With your yes this is granted'))
  for (const words of rule.words) out.line(`  ${printable(words)}`)
}

function deny(given: string, options: Options, shell: Shell): Promise<number> {
  return withSession(options, shell, async (api) => {
    const id = await findId(api, given)
    const card = await api.call('GET /v1/approvals/:id', { params: { id } })
    const { answer } = options
    const no = { verdict: 'deny', digest: card.digest } as const
    return decide(api, card, answer === undefined ? no : { ...no, answer }, options, shell)
  })
}

function lift(given: string, options: Options, shell: Shell): Promise<number> {
  return withSession(options, shell, async (api) => {
    const id = await findId(api, given, 'denied')
    const now = await api.call('POST /v1/approvals/:id/lift', { params: { id } })
    if (options.json) shell.out.json(now)
    else shell.out.line('Lifted. The next equal call of this run asks again.')
    return 0
  })
}

async function decide(
  api: Api,
  { id }: ApprovalCard,
  body: DecisionBody,
  { reason, json }: Options,
  { out }: Shell,
): Promise<number> {
  const whole = reason === undefined ? body : { ...body, reason }
  const now = await api.call('POST /v1/approvals/:id/decisions', { params: { id }, body: whole })
  if (json) out.json(now)
  else if (now.status === 'pending') out.line('Noted. It waits for others to agree.')
  else out.line(`It is ${now.status} now.`)
  return 0
}
