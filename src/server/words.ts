import type { Approver, Assurance, Requirement } from '../base/oversight.ts'
import type { Asks, Verdict } from '../policy/evaluate/verdict.ts'

/** Who must decide and on what terms, as sentences for people. Empty when no approval is needed. */
export interface InWords {
  readonly who: readonly string[]
  readonly terms: readonly string[]
}

export function inWords(verdict: Verdict): InWords {
  if (verdict.verdict === 'allow' || verdict.verdict === 'deny') return { who: [], terms: [] }
  return { who: whoDecides(verdict), terms: termsInWords(verdict) }
}

function whoDecides({ requirements, verdict }: Asks): string[] {
  const sentences = requirements.flatMap((one) => [people(one), ...escalations(one)])
  const unique = [...new Set(sentences)]
  if (verdict === 'confirm') return unique
  return [...unique, 'Never the requester, the agent or the person it works for.']
}

function people({ level, approvers, quorum }: Requirement): string {
  if (level === 'confirm') {
    const named = ['the person the agent works for', 'anyone with the approver role']
    return `A yes from ${[...named, ...approvers.map(nameOf)].join(' or ')}.`
  }
  const parts = [
    ...(approvers.length > 0 ? [oneOf(approvers)] : []),
    ...quorum.map(({ group, n }) => `${n} of group ${group}`),
  ]
  const places = quorum.reduce((sum, { n }) => sum + n, 0)
  const different = places > 1 ? `, ${places} different people` : ''
  return `A yes from ${parts.join(' and ')}${different}.`
}

function oneOf(approvers: readonly Approver[]): string {
  const [only] = approvers
  if (approvers.length === 1 && only !== undefined) return nameOf(only)
  return `one of: ${approvers.map(shortName).join(', ')}`
}

function shortName(approver: Approver): string {
  return approver !== '*' && 'group' in approver ? `group ${approver.group}` : nameOf(approver)
}

function nameOf(approver: Approver): string {
  if (approver === '*') return 'anyone with the approver role'
  return 'group' in approver ? `anyone of group ${approver.group}` : approver.email
}

function escalations({ escalate }: Requirement): string[] {
  return escalate.map(({ after, to, for: group }) => {
    const place = group === undefined ? '' : ` in place of group ${group}`
    return `After ${duration(after)} also ${nameOf(to)}${place}.`
  })
}

const ASSURANCE_WORDS: Readonly<Record<Assurance, string | undefined>> = {
  elicitation: undefined,
  chat: 'By chat or a stronger way',
  'signed-in': 'Signed in',
  passkey: 'With a passkey',
}

function memoryInWords(memory: NonNullable<Asks['rememberNo']>): string {
  return memory === 'call' ? 'A no is asked about again' : `A no holds for ${duration(memory)}`
}

function termsInWords({ terms, leavesUseBy, rememberNo }: Asks): string[] {
  const { edit, reason } = terms
  const assurance = ASSURANCE_WORDS[terms.minAssurance]
  return [
    `Decide within ${duration(terms.decideBy)}`,
    `A yes can be used for ${duration(terms.useBy)}${leavesUseBy ? ', or 24 h in a suspended run' : ''}`,
    ...(rememberNo === undefined ? [] : [memoryInWords(rememberNo)]),
    ...(terms.waitFor === undefined ? [] : [`The agent waits ${duration(terms.waitFor)}`]),
    ...(terms.remindAfter === undefined ? [] : [`Reminder after ${duration(terms.remindAfter)}`]),
    ...(assurance === undefined ? [] : [assurance]),
    ...(reason === 'optional'
      ? []
      : [reason === 'required' ? 'A no needs a reason' : 'Every answer needs a reason']),
    ...(edit === true
      ? []
      : [
          edit === false
            ? 'No argument may be changed'
            : `May change ${edit.map(({ text }) => text).join(', ')}`,
        ]),
    ...(terms.grants ? [] : ['No standing grants']),
  ]
}

const UNITS: readonly (readonly [one: string, many: string, size: number])[] = [
  ['day', 'days', 86_400_000],
  ['h', 'h', 3_600_000],
  ['min', 'min', 60_000],
  ['s', 's', 1_000],
]

/** 5_400_000 → `1 h 30 min`. */
export function duration(ms: number): string {
  let left = ms
  const parts: string[] = []
  for (const [one, many, size] of UNITS) {
    const count = Math.floor(left / size)
    // 24 h says more than 1 day does.
    if (count === 0 || (one === 'day' && count < 2)) continue
    left -= count * size
    parts.push(`${count} ${count === 1 ? one : many}`)
  }
  return parts.length > 0 ? parts.join(' ') : `${ms} ms`
}
