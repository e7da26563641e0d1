import { randomInt } from 'node:crypto'
import { type PersonId, samePerson } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { allRecords, type Records } from '../../store/records.ts'
import { hashSecret, newSecret, SECRET } from './secret.ts'

/**
 * A terminal elsewhere asks to be signed in; a signed-in person confirms it by typing the code that
 * the terminal shows. The code names the attempt and opens nothing by itself.
 */
export interface TerminalLogins {
  begin(from: string): Promise<{ readonly code: string; readonly secret: string }>
  /** Throws `login_unknown`. */
  confirm(code: string, by: PersonId): Promise<void>
  /** Who confirmed it, once; undefined before it is confirmed. Throws `login_unknown`. */
  finish(secret: string): Promise<PersonId | undefined>
}

interface Stored {
  /** Hash of the secret that the terminal keeps. */
  readonly terminal: string
  readonly from: string
  readonly by?: PersonId
}

/** The kind of record of a terminal that waits to be signed in. */
export const TERMINAL_LOGIN_RECORD = 'terminal login'
const LIFE_MS = 600_000
/** Without letters that are read as digits, and without vowels that would make words. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE = /^[B-Z]{4}-?[B-Z]{4}$/

export function createTerminalLogins(records: Records, now: () => Promise<number>): TerminalLogins {
  return {
    async begin(from) {
      const secret = newSecret()
      const letters = Array.from({ length: 8 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
      const code = `${letters.slice(0, 4)}-${letters.slice(4)}`
      const expiresAt = (await now()) + LIFE_MS
      const terminal = hashSecret('terminal', secret)
      const stored: Stored = { terminal, from }
      await records.put(TERMINAL_LOGIN_RECORD, idOf(code), stored as unknown as Json, {
        expect: 'absent',
        expiresAt,
      })
      await records.put(
        TERMINAL_LOGIN_RECORD,
        terminal,
        { code: idOf(code) },
        { expect: 'absent', expiresAt },
      )
      return { code, secret }
    },
    async confirm(code, { issuer, subject }) {
      const found = CODE.test(code)
        ? await records.get(TERMINAL_LOGIN_RECORD, idOf(code))
        : undefined
      if (!found) throw unknown()
      const stored = found.value as unknown as Stored
      if (stored.by) throw unknown()
      const { expiresAt } = found
      const done = await records.put(
        TERMINAL_LOGIN_RECORD,
        found.id,
        { ...stored, by: { issuer, subject } } as unknown as Json,
        { expect: found.revision, ...(expiresAt === undefined ? {} : { expiresAt }) },
      )
      if (!done) throw unknown()
    },
    async finish(secret) {
      const pointer = SECRET.test(secret)
        ? await records.get(TERMINAL_LOGIN_RECORD, hashSecret('terminal', secret))
        : undefined
      const { code = '' } = (pointer?.value ?? {}) as { readonly code?: string }
      const found = pointer && (await records.get(TERMINAL_LOGIN_RECORD, code))
      if (!found) throw unknown()
      if (!(found.value as unknown as Stored).by) return undefined
      // Exactly one caller gets it, whatever the process.
      const taken = await records.remove(TERMINAL_LOGIN_RECORD, code)
      await records.remove(TERMINAL_LOGIN_RECORD, pointer.id)
      const { by } = (taken?.value ?? {}) as { readonly by?: PersonId }
      if (!by) throw unknown()
      return by
    },
  }
}

/** What these people confirmed and no terminal fetched yet: it would outlive their removal. */
export async function confirmedLogins(
  records: Records,
  people: readonly PersonId[],
): Promise<readonly string[]> {
  return (await allRecords(records, TERMINAL_LOGIN_RECORD)).flatMap(({ id, value }) => {
    const { by } = value as unknown as Partial<Stored>
    return by && people.some((one) => samePerson(one, by)) ? [id] : []
  })
}

function idOf(code: string): string {
  return hashSecret('terminal-code', code.replace('-', ''))
}

function unknown(): CountersignError {
  return new CountersignError(
    'login_unknown',
    'this login was used before, is too old, or never was one',
    { hint: 'Run `countersign login` again.' },
  )
}
