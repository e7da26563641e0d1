import { parseAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'

/** The address, or the reason why it is none. */
export function readAddress(text: string, what: string): string {
  const address = parseAddress(text)
  if (address.ok) return address.value
  throw new CountersignError('invalid_value', `${what}: ${address.problem}`, {
    hint: 'Write the bare address: no display name, no spaces, ASCII letters.',
  })
}
