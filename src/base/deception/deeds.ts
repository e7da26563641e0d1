import { inEnglish, type Tell } from '../tell.ts'
import { commandRemarks } from './command-remarks.ts'
import { sqlRemarks } from './remarks.ts'

/**
 * What an argument would do, where its own name says that it is a statement or a command: browser and
 * terminal both warn by it. A masked value is not read.
 */
export function deedsOf(
  args: object,
  isMasked: (name: string) => boolean,
  tell: Tell = inEnglish,
): readonly string[] {
  return Object.entries(args).flatMap(([name, value]) =>
    isMasked(name) ? [] : [...sqlRemarks(name, value, tell), ...commandRemarks(name, value, tell)],
  )
}
