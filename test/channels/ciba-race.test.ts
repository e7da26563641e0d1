import { expect } from 'vitest'
import { ask } from '../../src/channels/ciba/ciba-ask.ts'
import { pollOne } from '../../src/channels/ciba/ciba-poll.ts'
import { type CibaRequest, keepRequest, nameOf } from '../../src/channels/ciba/ciba-request.ts'
import type { ChannelHost } from '../../src/gate/notify/channel-host.ts'
import {
  type BackchannelRequest,
  NotAsked,
  type RatedCard,
  type SignInProvider,
} from '../../src/gate/notify/sign-in-provider.ts'
import { channelRequests } from '../../src/server/channels/channel-requests.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'

const ASKED: CibaRequest = {
  ...{ approval: 'a', subject: 'fay', digest: 'old', state: 'open', asks: 1, askedAt: 0 },
  ...{ id: 'request-1', interval: 1, due: 0, until: 1, failures: 0, expired: false },
}

promise(
  ['CS-CIBA-4', 'CS-CIBA-6'],
  'a question that another process puts while the old one is polled stays, and its answer is fetched',
  async () => {
    const requests = channelRequests('ciba', memoryStore())
    const kept = await keepRequest(requests, ASKED, 'absent')
    if (!kept) throw new Error('not kept')
    const name = nameOf(ASKED)
    const call = { tool: 'note', form: {} }
    const edited = { approval: { call, digest: 'new', terms: {} } } as unknown as RatedCard
    const partsWith = (card: () => Promise<RatedCard>) => ({
      host: { requests, report: () => {} } as unknown as ChannelHost,
      provider: { card } as unknown as SignInProvider,
      rules: { maxRisk: 'L2', loginHint: 'sub', acr: new Map(), expiry: 300 } as const,
    })
    const asksAnew = async () => {
      const before = await requests.get(name)
      const newer = { ...ASKED, digest: 'new', id: 'request-2' }
      await keepRequest(requests, newer, before?.revision ?? 'absent')
      return edited
    }
    await pollOne(partsWith(asksAnew), kept)
    const newer = await requests.get(name)
    expect(newer?.value).toMatchObject({ state: 'open', id: 'request-2' })
    // One in whose place there is no other is gone.
    await pollOne(
      partsWith(async () => edited),
      { ...ASKED, revision: newer?.revision ?? 0 },
    )
    expect([await requests.get(name), await requests.list()]).toEqual([undefined, []])
  },
)

promise(
  ['CS-CIBA-6'],
  'two notices at once put one question; one that may have failed is put again',
  async () => {
    const requests = channelRequests('ciba', memoryStore())
    const terms = { reason: 'optional', minAssurance: 'signed-in' }
    const approval = {
      call: { tool: 'note' },
      digest: 'd'.repeat(64),
      terms,
      decideBy: Date.now() + 300_000,
    }
    const card = { approval, args: {}, question: { missing: [] }, rated: 'L0' }
    const begun: PromiseWithResolvers<BackchannelRequest>[] = []
    const begin = () => {
      const one = Promise.withResolvers<BackchannelRequest>()
      begun.push(one)
      return one.promise
    }
    const parts = {
      host: { requests, report: () => {} } as unknown as ChannelHost,
      provider: { card: async () => card, begin } as unknown as SignInProvider,
      rules: { maxRisk: 'L2', loginHint: 'sub', acr: new Map(), expiry: 300 } as const,
    }
    const options = { approval: 'a', subject: 'fay', isReminder: false }
    const first = ask(parts, options)
    await expect.poll(() => begun.length).toBe(1)
    await expect(ask(parts, options)).rejects.toThrow('another question is under way')
    begun[0]?.reject(new NotAsked('it did not answer', { isCertain: false }))
    await expect(first).rejects.toThrow('it did not answer')
    const second = ask(parts, options)
    await expect.poll(() => begun.length).toBe(2)
    begun[1]?.resolve({ id: 'request-2', interval: 1, expiresIn: 300 })
    await second
    expect(await requests.list()).toMatchObject([{ value: { state: 'open', id: 'request-2' } }])
  },
)
