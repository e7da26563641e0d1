import { NotDelivered } from '../../gate/notify/channel.ts'

/** Mails to one address within the window before the others wait for its end. */
const MOST = 5
const WINDOW_MS = 600_000
/** What comes to one address within this time goes into one mail. */
const TOGETHER_MS = 500
const MOST_ADDRESSES = 10_000

export type SendTogether<T> = (address: string, parts: readonly T[]) => Promise<void>

export interface MailBatches<T> {
  /** Resolves when a mail with this part was accepted. */
  add(address: string, part: T): Promise<void>
}

interface Batch<T> {
  readonly parts: T[]
  readonly sent: Promise<void>
}

/** A mail that was accepted, or is under way. */
interface Counted {
  readonly at: number
}

/**
 * Digests instead of floods: an address gets single mails as long as they are few. Then the rest
 * waits until the window ends, and comes together.
 */
export function createMailBatches<T>(
  send: SendTogether<T>,
  { now = () => performance.now(), together = TOGETHER_MS } = {},
): MailBatches<T> {
  const mails = new Map<string, readonly Counted[]>()
  const open = new Map<string, Batch<T>>()

  function recent(address: string): readonly Counted[] {
    return (mails.get(address) ?? []).filter(({ at }) => now() - at < WINDOW_MS)
  }

  /** Counted before it leaves: the next one can be ready before this one was accepted. */
  function count(address: string): Counted {
    const found = recent(address)
    const [first] = found
    if (first && found.length >= MOST) {
      const retryAfter = Math.max(1_000, WINDOW_MS - (now() - first.at))
      throw new NotDelivered('it waits for the next digest', { retryAfter })
    }
    const one = { at: now() }
    mails.delete(address)
    const [oldest] = mails.size >= MOST_ADDRESSES ? mails.keys() : []
    if (oldest !== undefined) mails.delete(oldest)
    mails.set(address, [...found, one])
    return one
  }

  /** What the mail server did not take was no mail. */
  function discount(address: string, one: Counted): void {
    const left = recent(address).filter((other) => other !== one)
    if (left.length === 0) mails.delete(address)
    else mails.set(address, left)
  }

  async function sendBatch(address: string, parts: readonly T[]): Promise<void> {
    const one = count(address)
    try {
      await send(address, parts)
    } catch (error) {
      discount(address, one)
      throw error
    }
  }

  return {
    add(address, part) {
      const joined = open.get(address)
      if (joined) {
        joined.parts.push(part)
        return joined.sent
      }
      const parts = [part]
      const sent = (async () => {
        await new Promise((resolve) => setTimeout(resolve, together))
        open.delete(address)
        await sendBatch(address, parts)
      })()
      open.set(address, { parts, sent })
      return sent
    },
  }
}
