import { SHARES, type Share } from '../../gate/notify/channel.ts'
import { usage } from '../failure.ts'

/** How much of a call a channel may tell. Throws `usage` for any other word. */
export function readShare(given: string | undefined, where: string): Share {
  const word = given === undefined || given === '' ? 'name' : given
  const found = SHARES.find((one) => one === word)
  if (found) return found
  throw usage(
    `${where} is none of ${SHARES.join(', ')}`,
    'Use name unless the messages of the policy may leave this server.',
  )
}
