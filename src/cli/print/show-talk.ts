import type { ApprovalCard } from '../../api/approval.ts'
import type { WirePerson } from '../../api/common.ts'
import type { Paint } from './colour.ts'
import { moment } from './moment.ts'
import { printable, printableLines } from './printable.ts'

const VERBS = { question: 'asked the agent', reply: 'replied', comment: 'commented' } as const

/** What was asked, replied and commented; an agent's words are marked as its own. */
export function talkLines(
  { talk = [], assigned, agent, questions, status }: ApprovalCard,
  paint: Paint,
): string[] {
  const waits = questions !== undefined && status === 'pending'
  return [
    ...(assigned ? [`  assigned to ${nameOf(assigned.to)} by ${nameOf(assigned.by)}`] : []),
    ...talk.flatMap(({ kind, by, at, text }) => [
      `  ${by ? nameOf(by) : `${printable(agent)} (the agent, not checked)`} ${VERBS[kind]}, ${moment(at)}:`,
      ...(text === undefined
        ? ['    (no longer kept)']
        : printableLines(text).map((line) => `    │ ${line}`)),
    ]),
    ...(waits
      ? [paint('yellow', '  the agent has not replied yet; it can be decided anyway')]
      : []),
  ]
}

function nameOf({ name, email, subject }: WirePerson): string {
  return printable(name ?? email ?? subject)
}
