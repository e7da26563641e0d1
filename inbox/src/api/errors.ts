import { Refused, Unreachable } from '../../../src/api/client.ts'
import { foreignWords } from '../lib/language/language.ts'
import { t, tell, translated } from '../lib/language/t.ts'

/** The browser or the device refused; the message says what. */
export class DeviceError extends Error {}

/** A model gave no answer; the server says why in a sentence. */
export class ModelError extends Error {}

/** One sentence for a person, whatever went wrong; empty when nothing did. */
export function errorMessage(error: unknown): string {
  if (error === null || error === undefined) return ''
  if (error instanceof Refused) {
    const known = foreignWords()?.REFUSALS.get(error.code)
    return known ? known(tell) : [error.message, error.hint].filter(Boolean).join(' ')
  }
  // As when a proxy in front wants people to sign in again.
  if (error instanceof Unreachable && error.isMoved)
    return `${translated(error.message)} ${t('Reload this page.')}`
  if (error instanceof Unreachable) return translated(error.message)
  if (error instanceof DeviceError) return error.message
  if (error instanceof ModelError) return error.message
  return t('Something broke in this page. Reload it; nothing was decided.')
}
