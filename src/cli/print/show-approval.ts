import type { ApprovalCard, ApprovalRow, WireRequirement } from '../../api/approval.ts'
import { bytesWords } from '../../api/arguments/bytes-words.ts'
import type { WirePerson } from '../../api/common.ts'
import { questionOf, summaryOf } from '../../api/question.ts'
import type { WhyAsked } from '../../api/words/why-asked.ts'
import { type MessagePart, markedParts } from '../../base/message-parts.ts'
import { workflowRun } from '../../base/workflow-run.ts'
import { type Paint, VERDICT_LABEL, VERDICT_STYLE } from './colour.ts'
import { moment } from './moment.ts'
import { printable, printableJson, printableLines, printableValue } from './printable.ts'
import { argumentLines } from './show-arguments.ts'
import { formLines, payloadLines, workflowLines } from './show-form.ts'
import { previewLines } from './show-preview.ts'
import { talkLines } from './show-talk.ts'
import { warningLines } from './show-warnings.ts'

/** The owner's words may have several lines; a value from the call stays inside its marks. */
function questionLines(card: ApprovalCard): string[] {
  const parts = questionOf(card).flatMap((part) =>
    part.quoted
      ? [part]
      : part.text
          .split('\n')
          .flatMap((text, at) => [...(at === 0 ? [] : ['\n' as const]), { ...part, text }]),
  )
  const lines: MessagePart[][] = [[]]
  for (const part of parts) {
    if (part === '\n') lines.push([])
    else lines.at(-1)?.push(part)
  }
  return lines.map((line) => `  ${markedParts(line, printable, printableValue)}`)
}

/** The question on one line, for a list. */
export function summaryLine(row: ApprovalRow): string {
  return markedParts(summaryOf(row), printable, printableValue)
}

/** `L4`, `L4?` where the level is a guess because no risk is declared, `--`. */
export function riskMark({ risk, riskGuessed }: Pick<ApprovalRow, 'risk' | 'riskGuessed'>): string {
  return `${risk ?? '--'}${riskGuessed ? '?' : ' '}`
}

export function riskWords({
  risk,
  riskGuessed,
}: Pick<ApprovalRow, 'risk' | 'riskGuessed'>): string {
  if (riskGuessed) return `looks like ${risk}`
  return risk ?? 'risk unknown'
}

export function nameOf({ tool, server }: Pick<ApprovalRow, 'tool' | 'server'>): string {
  return server === undefined ? tool : `${server}/${tool}`
}

export function timeLeft(ms: number): string {
  if (ms <= 0) return 'over'
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return `${Math.ceil(ms / 1_000)} s left`
  return minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`
}

/**
 * Everything a person needs before deciding: what will run first, what the agent says last. How one
 * looks at a hidden value differs from surface to surface.
 */
export function cardLines(
  card: ApprovalCard,
  paint: Paint,
  toReveal = '--reveal shows one',
): string[] {
  const { agent, principal, status, execution, digest, level } = card
  const by = principal === undefined ? agent : `${agent} for ${principal}`
  const label = status === 'pending' ? VERDICT_LABEL[level] : level.toUpperCase()
  return [
    `${paint(VERDICT_STYLE[level], label)}  ${printable(nameOf(card))}  ${riskWords(card)}  by ${printable(by)}`,
    ...questionLines(card),
    ...card.missing.map((one) => paint('yellow', `  warning: {{${printable(one)}}} has no value`)),
    '',
    paint('bold', `Computed by Countersign, ${bytesWords(card)}`),
    ...warningLines(card, paint),
    ...(card.arguments === ''
      ? ['  (the arguments are no longer kept)']
      : argumentLines(JSON.parse(card.arguments), card.masked, paint)),
    ...(card.masked.length > 0
      ? [
          `  masked: ${card.masked.map(pathText).map(printable).join(', ')}${card.can.includes('reveal') ? ` (${toReveal})` : ''}`,
        ]
      : []),
    `  digest ${digest}`,
    ...(card.edited.length > 0
      ? [
          `  changed by a person: ${card.edited.map((path) => printable(path.join('.'))).join(', ')}`,
        ]
      : []),
    ...card.why.flatMap(whyLines),
    ...card.requirements.flatMap((one) => requirementLines(one, paint)),
    ...(card.unreachable === undefined
      ? []
      : [
          paint(
            'yellow',
            `  cannot be approved any more: ${printable(card.unreachableWhy ?? card.unreachable)}. Add a person or withdraw.`,
          ),
        ]),
    ...card.decisions.flatMap(
      ({ by: person, for: absent, verdict, reason, payload, void: isVoid }) => [
        `  ${namesOf([person])}${absent ? ` for ${namesOf(absent)}` : ''}: ${verdict}${isVoid ? ' (no longer counts)' : ''}${reason === undefined ? '' : `, ${printable(reason)}`}`,
        ...payloadLines(payload),
      ],
    ),
    ...talkLines(card, paint),
    ...(card.mine.may && card.mine.for
      ? [paint('yellow', `  your yes would be for ${namesOf(card.mine.for)}, who is away`)]
      : []),
    ...(card.run === undefined ? [] : [`  ${runWords(card.run)}`]),
    `  ${status}${execution === undefined ? '' : `, ${execution}`}; decide by ${moment(card.decideBy)}`,
    ...previewLines(card, paint),
    ...claimedLines(card, paint),
    ...formLines(card, paint),
  ]
}

/** `run openworkflow 0b1c…`: the workflow's engine and its run, where the asker is one. */
function runWords(run: string): string {
  const workflow = workflowRun(run)
  return workflow
    ? `run ${printable(workflow.id)} of a workflow on ${printable(workflow.engine)}`
    : `run ${printable(run)}`
}

/** Approvers added by escalation stand apart from those asked from the start. */
function requirementLines({ approvers, quorum, met, added }: WireRequirement, paint: Paint) {
  const first = [
    ...approvers.map(printable),
    ...quorum.map(({ group, n, have }) => `${have} of ${n} of group ${printable(group)}`),
  ]
  return [
    `  ${met ? 'met' : 'needs'}: ${first.join('; ')}`,
    ...added.map(
      ({ who, at, why }) =>
        `    ${paint('yellow', `added by escalation, ${moment(at)}`)}: ${printable(who)} (${printable(why)})`,
    ),
  ]
}

/** `ana@example.com and bo@example.com`. */
function namesOf(people: readonly WirePerson[]): string {
  return people.map(({ email, subject }) => printable(email ?? subject)).join(' and ')
}

function whyLines({ rule, words: says, place, values, stale }: WhyAsked): string[] {
  const where = place === undefined ? '' : ` (${printable(place)})`
  return [
    `  asked by ${printable(rule)}${where}${stale ? '; the policy has changed since' : ''}`,
    ...(says === undefined ? [] : [`    ${printable(says)}`]),
    ...values.map(
      ({ path, wanted, words = `is ${wanted}`, saw, answer }) =>
        `    ${printable(path)} ${printable(words)}? It saw ${printableJson(saw)}: ${answer}`,
    ),
  ]
}

function claimedLines({ claimed }: ApprovalCard, paint: Paint): string[] {
  if (!claimed) return []
  const { says, links = [], workflow } = claimed
  return [
    '',
    paint('bold', 'Claimed by the agent, not checked'),
    ...(says === undefined ? [] : printableLines(says).map((line) => `  > ${line}`)),
    ...links.map((link) => `  > ${printable(link)}`),
    ...workflowLines(workflow),
  ]
}

/** As policies write paths, and as `--reveal` reads them. */
export function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')
}
