import { isCountersignError } from '../../base/errors.ts'
import { NotDelivered } from '../../gate/notify/channel.ts'
import { type BackchannelAnswer, NotAsked } from '../../gate/notify/sign-in-provider.ts'
import { askNow, type CibaParts, offerFor } from './ciba-ask.ts'
import { type KeptRequest, keepRequest, MOST_ASKS, nameOf } from './ciba-request.ts'

/** No other process polls meanwhile; longer than one request may take. */
const LEASE_MS = 30_000
const SLOWER_S = 5
const LONGEST_PAUSE = 60_000
/** After this the provider had its time to say that the request ran out. */
const GRACE_MS = 60_000
/** Pauses before an answer that the store could not take is written again. */
const PAUSES = [200, 1_000, 5_000]

/** Asks the provider once what became of a question, and counts the answer. */
export async function pollOne(parts: CibaParts, request: KeptRequest): Promise<void> {
  const { requests, report } = parts.host
  const { approval, interval, failures } = request
  const now = await requests.now()
  const taken = await keepRequest(requests, { ...request, due: now + LEASE_MS }, request.revision)
  // Another process polls it, or the question is another one by now.
  if (!taken) return
  const offer = await offerFor(parts, taken)
  // Decided elsewhere, edited, or no longer theirs: what they say now counts for nothing.
  if (offer?.digest !== taken.digest) return drop(parts, taken)
  try {
    const answer = await parts.provider.poll(taken)
    if (answer.state !== 'pending') return await settle(parts, taken, answer)
    const slower = answer.slowDown ? interval + SLOWER_S : interval
    await next({ interval: slower, failures: 0 }, slower * 1_000)
  } catch (error) {
    if (!(error instanceof NotDelivered)) throw error
    if (failures === 0) report(`ciba: approval ${approval}: ${error.message}`)
    const pause = Math.min(interval * 1_000 * 2 ** Math.min(failures, 6), LONGEST_PAUSE)
    await next({ failures: failures + 1 }, Math.max(pause, interval * 1_000))
  }

  async function next(changed: Partial<KeptRequest>, after: number): Promise<void> {
    const at = await requests.now()
    const isOver = at > request.until + GRACE_MS
    const end = isOver ? ({ state: 'over', expired: true } as const) : {}
    await keepRequest(
      requests,
      { ...request, ...changed, due: at + after, ...end },
      taken?.revision ?? 'absent',
    )
  }
}

/** Removed, unless another process has put a newer question in its place: that one stays. */
async function drop({ host: { requests } }: CibaParts, taken: KeptRequest): Promise<void> {
  await requests.put(nameOf(taken), {}, { expect: taken.revision, ms: 0 })
}

type Settled = Exclude<BackchannelAnswer, { readonly state: 'pending' }>

async function settle(parts: CibaParts, taken: KeptRequest, answer: Settled): Promise<void> {
  const { requests, report } = parts.host
  const { approval } = taken
  const over = (expired = false) =>
    keepRequest(requests, { ...taken, state: 'over', expired }, taken.revision)
  switch (answer.state) {
    case 'approved':
    case 'denied':
      await count(parts, taken, answer)
      await over()
      return
    case 'expired':
      await over(true)
      return
    case 'refused':
      report(`ciba: an answer to approval ${approval} counts for nothing: ${answer.why}`)
      await over()
      return
    case 'lost':
      await again(parts, taken)
  }
}

/** Who answered was checked; whether they may is decided by the gate. */
async function count(
  { host: { report }, provider, rules }: CibaParts,
  { approval, subject, digest: seen }: KeptRequest,
  answer: Extract<Settled, { readonly state: 'approved' | 'denied' }>,
): Promise<void> {
  const said = { approval, seen }
  for (let tries = 0; ; tries += 1) {
    try {
      if (answer.state === 'denied') await provider.deny(subject, said)
      else await provider.approve(answer.claims, assuranceOf(rules.acr, answer.claims.acr), said)
      return
    } catch (error) {
      const pause = PAUSES[tries]
      if (isCountersignError(error) && !error.code.startsWith('store_')) {
        report(`ciba: an answer to approval ${approval} counts for nothing: ${error.message}`)
        return
      }
      // The provider gives an answer once, so it is worth waiting for the store.
      if (pause === undefined) throw error
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

export function assuranceOf(
  acr: ReadonlyMap<string, 'signed-in' | 'passkey'>,
  said: string | undefined,
): 'signed-in' | 'passkey' {
  return (said === undefined ? undefined : acr.get(said)) ?? 'signed-in'
}

/** The answer went to a process that died, or nowhere: the person is asked once more. */
async function again(parts: CibaParts, taken: KeptRequest): Promise<void> {
  const { host } = parts
  const { approval, subject, failures } = taken
  const offer = await offerFor(parts, taken)
  if (!offer) return drop(parts, taken)
  if (taken.asks >= MOST_ASKS) {
    host.report(`ciba: the answer to approval ${approval} was lost; the inbox decides`)
    await keepRequest(host.requests, { ...taken, state: 'over' }, taken.revision)
    return
  }
  try {
    await askNow(parts, { offer, approval, subject }, taken)
  } catch (error) {
    if (!(error instanceof NotDelivered)) throw error
    if (failures === 0) host.report(`ciba: approval ${approval}: ${error.message}`)
    if (!(error instanceof NotAsked && error.isCertain)) return
    // The provider did not take it: found lost again by the next poll, and asked then.
    const left = await host.requests.get(nameOf(taken))
    const due = (await host.requests.now()) + LEASE_MS
    const retried = { ...taken, due, failures: failures + 1 }
    if (left) await keepRequest(host.requests, retried, left.revision)
  }
}
