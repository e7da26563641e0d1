import type { CommanderError } from 'commander'
import { CountersignError, ERRORS, isCountersignError } from '../base/errors.ts'
import { printableLines } from './print/printable.ts'
import type { Output } from './shell.ts'

/** Says what went wrong and what to do next, never how the code came there. Answers the exit code. */
export function reportFailure(error: unknown, err: Output): number {
  const known = knownError(error)
  const lines = printableLines(known.message)
  const list = isCountersignError(known, 'policy_invalid') && lines.length > 1
  const code = err.paint(['bold', 'red'], known.code)
  err.line(`${code}: ${list ? `the policy has ${lines.length} mistakes` : lines.join(' ')}`)
  if (list) for (const line of lines) err.line(`  ${line}`)
  const hint = known.hint ?? 'Correct the input, then run the command again.'
  for (const line of printableLines(hint)) err.line(line)
  return ERRORS[known.code].exit
}

function knownError(error: unknown): CountersignError {
  if (isCountersignError(error)) return error
  if (isCommanderError(error)) return usageError(error)
  const what = error instanceof Error ? error.message : String(error)
  return new CountersignError('internal', `something broke inside Countersign: ${what}`, {
    hint: 'This is a bug. Please report it with the command you ran.',
  })
}

/** By its name: commands that start often do not load Commander. */
function isCommanderError(error: unknown): error is CommanderError {
  return error instanceof Error && error.name === 'CommanderError'
}

/** Commander's sentence in our form: one line, with its suggestion if it has one. */
function usageError({ message, code }: CommanderError): CountersignError {
  const sentence = message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
  return new CountersignError('usage', sentence, {
    hint:
      code === 'commander.unknownCommand'
        ? '`countersign --help` lists the commands.'
        : 'Add --help to the command to see what it takes.',
  })
}

/** A mistake in how the command was used. */
export function usage(message: string, hint: string): CountersignError {
  return new CountersignError('usage', message, { hint })
}
