import { duration } from '../../base/duration-words.ts'
import type { Assurance, EditRule, ReasonRule } from '../../base/oversight.ts'
import type { DenialMemory, ReasonPresets } from '../document.ts'

/** What a rule can demand of an answer. A member that is absent is left to other rules. */
export interface TermsSaid {
  readonly decideBy?: number | undefined
  readonly useBy?: number | undefined
  readonly rememberNo?: DenialMemory | undefined
  readonly waitFor?: number | undefined
  readonly remindAfter?: number | undefined
  readonly minAssurance?: Assurance | undefined
  readonly reason?: ReasonRule | undefined
  readonly reasons?: ReasonPresets | undefined
  readonly edit?: EditRule | undefined
  readonly grants?: boolean | undefined
}

type Wording = {
  readonly [Name in keyof TermsSaid]-?: (value: NonNullable<TermsSaid[Name]>) => string
}

/** A term without a sentence does not compile. */
const WORDING: Wording = {
  decideBy: (ms) => `Decide within ${duration(ms)}`,
  useBy: (ms) => `A yes can be used for ${duration(ms)}`,
  rememberNo: (memory) => {
    if (memory === 'call') return 'A no is asked about again'
    return `A no holds for ${memory === 'run' ? 'the rest of the run' : duration(memory)}`
  },
  waitFor: (ms) => `The agent waits ${duration(ms)}`,
  remindAfter: (ms) => `Reminder after ${duration(ms)}`,
  minAssurance: (assurance) => ASSURANCE_WORDS[assurance],
  reason: (rule) => REASON_WORDS[rule],
  reasons: ({ deny = [], approve = [] }) =>
    [
      ...(deny.length === 0 ? [] : [`Reasons for a no: ${deny.join(', ')}`]),
      ...(approve.length === 0 ? [] : [`Reasons for a yes: ${approve.join(', ')}`]),
    ].join('. '),
  edit: (rule) => {
    if (typeof rule === 'boolean') {
      return rule ? 'Any argument may be changed' : 'No argument may be changed'
    }
    return `May change ${rule.map(({ text }) => text).join(', ')}`
  },
  grants: (allowed) => (allowed ? 'A yes may become a grant' : 'No standing grants'),
}

const ASSURANCE_WORDS: Readonly<Record<Assurance, string>> = {
  elicitation: 'From any client',
  chat: 'By chat or a stronger way',
  'signed-in': 'Signed in',
  passkey: 'With a passkey',
}

const REASON_WORDS: Readonly<Record<ReasonRule, string>> = {
  optional: 'A reason is optional',
  required: 'A no needs a reason',
  required_always: 'Every answer needs a reason',
}

/** One sentence for each term that is there, in the order of the question's life. */
export function termsWords(terms: TermsSaid): string[] {
  return Object.entries(WORDING).flatMap(([name, words]) => {
    const value = terms[name as keyof TermsSaid]
    return value === undefined ? [] : [(words as (value: unknown) => string)(value)]
  })
}
