import { onTestFinished, vi } from 'vitest'
import { type CibaOptions, ciba } from '../../src/channels/ciba/ciba.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import type { Store } from '../../src/store/store.ts'
import { HOST, running } from '../server/harness.ts'
import { CIBA_POLICY, oidcOptions, signedInBefore } from './ciba-people.ts'

export interface CibaWorldOptions extends CibaOptions {
  readonly store?: Store
  readonly policy?: string
}

/** A server whose provider asks people, with fay and finn. */
export async function cibaWorld(url: URL, options: CibaWorldOptions = {}) {
  const { store = memoryStore(), policy = CIBA_POLICY, ...rules } = options
  const channel = ciba(rules)
  for (const name of ['fay', 'finn']) await signedInBefore(store, url.origin, name)
  const oidc = oidcOptions(url)
  const publicUrl = new URL(`http://${HOST}/`)
  const own = running({ policy, publicUrl, oidc, store, channels: [channel] })
  const bot = await own.agent('biller')

  async function ask(tool: string, more: object = {}) {
    const args = { text: 'hello', card: 'canary-4111' }
    const body = { tool, run: 'r', key: crypto.randomUUID(), args, ...more }
    const answer = await own.send('/v1/calls', { as: bot, body })
    const [id, digest] = [answer.at('id'), answer.at('digest')]
    return { id, digest, short: digest.slice(0, 8) }
  }

  const statusOf = async (id: string) => (await store.get(id))?.status
  const ends = (id: string, status: string) =>
    vi.waitFor(
      async () => {
        const now = await statusOf(id)
        if (now !== status) throw new Error(`it is ${now}`)
      },
      { timeout: 15_000, interval: 100 },
    )
  /** When everything that was to be sent is sent. */
  const told = () =>
    vi.waitFor(
      async () => {
        const { waiting } = await store.outbox.summary()
        if (waiting > 0) throw new Error(`${waiting} notices wait`)
      },
      { timeout: 15_000, interval: 50 },
    )
  const requests = async () => (await store.records.list('channel request')).records

  return { ...own, channel, bot, ask, statusOf, ends, told, requests }
}

/** Stopped after the test. */
export async function started<T extends { stop(): Promise<void> }>(issuer: Promise<T>): Promise<T> {
  const own = await issuer
  onTestFinished(() => own.stop())
  return own
}
