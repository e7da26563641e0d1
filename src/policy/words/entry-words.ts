import { duration } from '../../base/duration-words.ts'
import type {
  AccessWord,
  Defaults,
  Limits,
  PolicyDocument,
  ServerEntry,
  ToolEntry,
} from '../document.ts'
import { numberWords } from './number-words.ts'
import { peopleWords } from './people-words.ts'
import { termsWords } from './terms-words.ts'

/** What a tool's entry says besides when it asks. */
export function toolDetails({ secrets, result }: ToolEntry): string[] {
  return [
    ...(secrets.length > 0 ? [`Hides ${secrets.map(({ text }) => text).join(', ')}`] : []),
    ...(result === 'drop' ? ['Its result is not kept'] : []),
  ]
}

export function serverDetails({ resources, prompts }: ServerEntry): string[] {
  return [
    ...(resources ? [`Its resources ${ACCESS_WORDS[resources]('read')}`] : []),
    ...(prompts ? [`Its prompts ${ACCESS_WORDS[prompts]('used')}`] : []),
  ]
}

const ACCESS_WORDS: Readonly<Record<AccessWord, (done: string) => string>> = {
  allow: (done) => `may be ${done}`,
  confirm: (done) => `may be ${done} after a confirmation`,
  review: (done) => `may be ${done} after a review`,
  deny: (done) => `may not be ${done}`,
}

/** What holds where a rule says nothing, and the bounds of the whole file. */
export function fileDetails({ defaults, limits, retain }: PolicyDocument): string[] {
  const { approvers } = defaults
  return [
    ...(approvers ? [peopleWords({ level: 'review', approvers, quorum: [] })] : []),
    ...termsWords(defaultTerms(defaults)),
    ...Object.entries(LIMIT_WORDS).flatMap(([name, words]) => {
      const most = limits[name as keyof Limits]
      return most === undefined ? [] : [words(numberWords(most))]
    }),
    ...(retain === undefined
      ? []
      : [`Arguments, reasons and results are kept for ${duration(retain)}`]),
  ]
}

function defaultTerms({ undeclared: _, gateway: __, approvers: ___, ...terms }: Defaults) {
  return terms
}

const LIMIT_WORDS: Readonly<Record<keyof Limits, (most: string) => string>> = {
  pendingPerAgent: (most) => `At most ${most} open questions of one agent`,
  asksPerMinute: (most) => `At most ${most} questions of one agent in a minute`,
  argsBytes: (most) => `Arguments have at most ${most} bytes`,
  argsDepth: (most) => `Arguments are nested at most ${most} deep`,
}
