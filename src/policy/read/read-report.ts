import { CountersignError } from '../../base/errors.ts'
import type { Mistake, Place } from '../document.ts'

export const MAX_MISTAKES = 50
const MAX_SENTENCE = 400

/** Collects what is wrong (mistakes) and what only looks odd (warnings) while a file is read. */
export interface Report {
  readonly mistake: Note
  readonly warn: Note
  readonly mistakes: () => readonly Mistake[]
  readonly warnings: () => readonly Mistake[]
}

type Note = (place: Place, path: string, kind: string, message: string) => void

export function createReport(): Report {
  const mistakes: Mistake[] = []
  const warnings: Mistake[] = []
  const into =
    (list: Mistake[]): Note =>
    (place, path, kind, message) => {
      list.push({ place, path: printable(path), kind, message: printable(short(message)) })
    }
  return {
    mistake: into(mistakes),
    warn: into(warnings),
    mistakes: () => firstOf(inFileOrder(mistakes)),
    warnings: () => inFileOrder(warnings),
  }
}

function inFileOrder(notes: readonly Mistake[]): Mistake[] {
  return [...notes].sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
}

function firstOf(mistakes: Mistake[]): Mistake[] {
  const next = mistakes[MAX_MISTAKES]
  if (!next) return mistakes
  const more = `and ${mistakes.length - MAX_MISTAKES} more`
  return [
    ...mistakes.slice(0, MAX_MISTAKES),
    { place: next.place, path: '', kind: 'more', message: more },
  ]
}

/** A value as it may stand in a sentence: quoted, short. */
export function show(value: unknown): string {
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
}

function short(sentence: string): string {
  return sentence.length > MAX_SENTENCE ? `${sentence.slice(0, MAX_SENTENCE - 3)}...` : sentence
}

/** Sentences quote files, and files may hold characters that steer a terminal or hide text. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu,
    (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
}

/** `countersign.yaml:4:7: tools.pay.approvel: sentence`. */
export function formatMistake({ place, path, message }: Mistake): string {
  const { file, line, column } = place
  // What is declared in code stands in no line of a file.
  const where = line > 0 ? `${file}:${line}:${column}` : file
  return path === '' ? `${where}: ${message}` : `${where}: ${path}: ${message}`
}

export function policyError(mistakes: readonly Mistake[]): CountersignError {
  const inCode = mistakes[0]?.place.line === 0
  return new CountersignError('policy_invalid', mistakes.map(formatMistake).join('\n'), {
    hint: inCode
      ? 'Correct the declaration where the tool is defined.'
      : 'Correct the file, then run `countersign policy check` on it.',
    details: { mistakes },
  })
}
