import { RE2JS } from 're2js'
import { failure, type Result, success } from '../../base/result.ts'
import { spelledOut, spelledTest } from './pattern-literal.ts'
import { readProgram } from './pattern-program.ts'
import { searcher } from './pattern-search.ts'
import { patternSize } from './pattern-size.ts'

/** Longer texts are not searched: the answer is `unknown`, and a person looks. */
export const MAX_PATTERN_INPUT = 8_192

/** A user's regular expression, searched anywhere in the text unless it anchors itself. */
export interface Pattern {
  readonly text: string
  readonly test: (value: string) => boolean
}

// Compiled instructions. Reading more than this takes noticeable time when a policy is loaded.
const MAX_PROGRAM = 4_000
// The same before anything is compiled, with room for an estimate.
const MAX_SIZE = 2 * MAX_PROGRAM

const TOO_LARGE =
  'the pattern is too large to be searched quickly; use smaller counts in {…}, or * and +'

/**
 * RE2 syntax on an engine that is linear in the text. The language's own engine backtracks: it
 * needs seconds for `^(\w+\s?)*$` on 28 characters, and both come from outside.
 */
export function compilePattern(text: string): Result<Pattern> {
  const known = compiled.get(text)
  if (known) return known
  const fresh = compileFresh(text)
  const [oldest] = compiled.size >= REMEMBERED ? compiled.keys() : []
  if (oldest !== undefined) compiled.delete(oldest)
  compiled.set(text, fresh)
  return fresh
}

/** The same few come again with every call of a remote agent, and reading one takes a millisecond. */
const REMEMBERED = 200
const compiled = new Map<string, Result<Pattern>>()

function compileFresh(text: string): Result<Pattern> {
  if (patternSize(text) > MAX_SIZE) return failure(TOO_LARGE)
  let regex: RE2JS
  try {
    regex = RE2JS.compile(text)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it does not parse'
    return failure(`not a valid RE2 pattern: ${why}`)
  }
  const spelled = spelledOut(text)
  if (spelled) return success({ text, test: spelledTest(spelled) })
  const program = regex.programSize() > MAX_PROGRAM ? undefined : readProgram(regex)
  return program ? success({ text, test: searcher(program) }) : failure(TOO_LARGE)
}
