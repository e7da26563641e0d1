import { NotDelivered, type Notice } from '../../gate/notify/channel.ts'

/** Mails to one address within the window before the others wait for its end. */
const MOST = 5
const WINDOW_MS = 600_000
/** What comes to one address within this time goes into one mail. */
const TOGETHER_MS = 500
const MOST_ADDRESSES = 10_000

export type SendTogether = (address: string, notices: readonly Notice[]) => Promise<void>

export interface MailBatches {
  /** Resolves when a mail with this notice was accepted. */
  add(address: string, notice: Notice): Promise<void>
}

interface Batch {
  readonly notices: Notice[]
  readonly sent: Promise<void>
}

/**
 * Digests instead of floods: an address gets single mails as long as they are few. Then the rest
 * waits until the window ends, and comes together.
 */
export function createMailBatches(
  send: SendTogether,
  { now = () => performance.now(), together = TOGETHER_MS } = {},
): MailBatches {
  const windows = new Map<string, { readonly since: number; count: number }>()
  const open = new Map<string, Batch>()

  function current(address: string) {
    const found = windows.get(address)
    return found && now() - found.since < WINDOW_MS ? found : undefined
  }

  function assertRoom(address: string): void {
    const found = current(address)
    if (!found || found.count < MOST) return
    const retryAfter = Math.max(1_000, WINDOW_MS - (now() - found.since))
    throw new NotDelivered('it waits for the next digest', { retryAfter })
  }

  /** What the mail server did not take was no mail. */
  function count(address: string): void {
    const found = current(address)
    if (found) {
      found.count += 1
      return
    }
    windows.delete(address)
    const [oldest] = windows.size >= MOST_ADDRESSES ? windows.keys() : []
    if (oldest !== undefined) windows.delete(oldest)
    windows.set(address, { since: now(), count: 1 })
  }

  return {
    add(address, notice) {
      const joined = open.get(address)
      if (joined) {
        joined.notices.push(notice)
        return joined.sent
      }
      const notices = [notice]
      const sent = (async () => {
        await new Promise((resolve) => setTimeout(resolve, together))
        open.delete(address)
        assertRoom(address)
        await send(address, notices)
        count(address)
      })()
      open.set(address, { notices, sent })
      return sent
    },
  }
}
