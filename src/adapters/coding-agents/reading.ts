import { createHash } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import type { HookInput } from '../claude-code/hook-input.ts'

type Told = Readonly<Record<string, unknown>>

/** Reads what one agent told its hook. Everything throws where the answer would be a guess. */
export interface Reader {
  readonly object: (value: unknown, name: string) => Told
  readonly text: (told: Told, key: string, most?: number) => string
  /** Of an agent that sends an object, or the JSON text of one. */
  readonly args: (value: unknown, name: string) => JsonObject
  readonly event: <E extends string>(
    told: Told,
    key: string,
    known: Readonly<Record<E, Event>>,
  ) => Event
}

type Event = HookInput['event']

const LONGEST_NAME = 512
export const LONGEST_PATH = 4_096

export function readerFor(title: string): Reader {
  const fail = (why: string): never => {
    throw new CountersignError('invalid_call', `what the hook was told is not understood: ${why}`, {
      hint: `Compare the versions of ${title} and Countersign; until then nothing runs.`,
    })
  }
  const object = (value: unknown, name: string): Told =>
    isPlainObject(value) ? value : fail(`${name} is not an object`)
  return {
    object,
    text(told, key, most = LONGEST_NAME) {
      const value = told[key]
      if (typeof value === 'string' && value !== '' && value.length <= most) return value
      return fail(`${key} is missing, or is not a text of at most ${most} characters`)
    },
    args(value, name) {
      const read = typeof value === 'string' ? parsed(value) : value
      return object(read, name) as JsonObject
    },
    event(told, key, known) {
      const name = told[key]
      if (typeof name === 'string' && Object.hasOwn(known, name)) {
        return known[name as keyof typeof known]
      }
      return fail(`${key} is none of ${Object.keys(known).join(', ')}`)
    },
  }
}

function parsed(text: string): unknown {
  try {
    return parseStrict(text)
  } catch {
    return undefined
  }
}

/** Names a call by what runs, for agents whose calls have no id. */
export function nameByArguments({ tool, server }: Named, args: JsonObject): string {
  const named = canonicalJson([server ?? null, tool, args])
  return createHash('sha256').update(named).digest('hex')
}

type Named = Pick<HookInput, 'tool' | 'server'>

/** For agents that put the approved values over those asked for: a key that is gone would stay. */
export function keepsKeys(asked: JsonObject, approved: JsonObject): boolean {
  return Object.keys(asked).every((key) => Object.hasOwn(approved, key))
}
