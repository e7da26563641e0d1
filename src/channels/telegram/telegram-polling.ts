import { NotDelivered } from '../../gate/notify/channel.ts'
import { type TelegramCall, TelegramError } from './telegram-api.ts'
import { idAt } from './telegram-bot.ts'
import { UPDATES } from './telegram-sender.ts'

export interface PollingOptions {
  readonly call: TelegramCall
  /** Never rejects. */
  readonly onUpdate: (update: unknown) => Promise<void>
  /** In one line: why nothing comes. */
  readonly report: (line: string) => void
  /** Seconds Telegram keeps a request open while nothing happens. */
  readonly wait?: number
}

const WAIT_S = 25
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 30_000
const MOST = 100

/**
 * Long polling: updates come as answers to requests of ours, so no address of ours has to be public.
 * An update is asked for again until the one after it is asked for, so none is lost by a crash.
 */
export function startPolling(options: PollingOptions): () => Promise<void> {
  const { call, onUpdate, report, wait = WAIT_S } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let reported = ''

  function tell(problem: string): void {
    if (problem !== reported) report(`telegram: ${problem}`)
    reported = problem
  }

  async function run(): Promise<void> {
    let offset: number | undefined
    let pause = FIRST_PAUSE
    while (!signal.aborted) {
      try {
        const next = offset === undefined ? {} : { offset }
        const fields = { ...next, timeout: wait, limit: MOST, allowed_updates: UPDATES }
        const got = await call('getUpdates', fields, { signal, timeout: (wait + 10) * 1_000 })
        // Not to be asked again at once: whatever answers there is no Bot API.
        if (!Array.isArray(got)) throw new NotDelivered('Telegram answered something unexpected')
        const updates = got as readonly unknown[]
        await handled(updates)
        for (const one of updates) {
          offset = Math.max(offset ?? 0, Number(idAt(one, 'update_id')) + 1)
        }
        ;[pause, reported] = [FIRST_PAUSE, '']
      } catch (error) {
        if (signal.aborted) return
        tell(problemOf(error))
        // Another server polls: it is left to that one for a while.
        const isOther = error instanceof TelegramError && error.code === 409
        await rest(isOther ? LONGEST_PAUSE : pause * (0.5 + Math.random() / 2), signal)
        pause = Math.min(pause * 2, LONGEST_PAUSE)
      }
    }
  }

  /** One after the other for each person, so that what they do keeps its order. */
  async function handled(updates: readonly unknown[]): Promise<void> {
    const byPerson = Map.groupBy(updates, senderIn)
    await Promise.all(
      [...byPerson.values()].map(async (own) => {
        for (const update of own) await onUpdate(update)
      }),
    )
  }

  const running = run()
  return async () => {
    stopping.abort()
    await running
  }
}

function senderIn(update: unknown): string {
  return idAt(update, 'callback_query', 'from', 'id') || idAt(update, 'message', 'from', 'id')
}

function problemOf(error: unknown): string {
  if (error instanceof TelegramError) {
    if (error.code === 409 && /webhook/.test(error.description)) {
      return 'a webhook is set for this bot; `countersign telegram setup --polling` removes it'
    }
    if (error.code === 409) return 'another server takes the answers of this bot'
    if (error.code === 401 || error.code === 404) return 'the bot token is refused'
    return error.message
  }
  return error instanceof NotDelivered ? error.message : 'Telegram cannot be reached'
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref?.()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
