import { openVapidKey } from '../../src/channels/push/vapid-key.ts'
import { type WebPushOptions, webPush } from '../../src/channels/push/web-push.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { createSecretBox } from '../../src/store/secret-box.ts'
import type { Store } from '../../src/store/store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { type FakeBrowser, pushService } from '../support/push-service.ts'
import { type RunningOptions, running, type Sender } from './harness.ts'

export const PUSH_POLICY = `version: 1
people: { groups: { finance: [fay@example.com, finn@example.com] } }
tools:
  pay:
    risk: L3
    secrets: [card]
    approval:
      message_template: "Pay {{tool_args.amount}} to {{tool_args.to}} with {{tool_args.card}}?"
      approvers: [{ group: finance }]
  note: { approval: { approvers: [ana@example.com] } }
  plain: { secrets: [card], approval: { approvers: [{ group: finance }] } }
`

/** Values that must reach no device. */
export const CANARY = 'canary-4111-1111'

export interface PushingOptions extends Pick<WebPushOptions, 'share' | 'resolve' | 'timeout'> {
  readonly store?: Store
  readonly server?: RunningOptions
  readonly allowHosts?: readonly string[]
}

/** A server that sends to browsers behind a push service of this process. */
export async function pushing(options: PushingOptions = {}) {
  const clock = fakeClock()
  const store = options.store ?? memoryStore({ clock: clock.now })
  const behind = await pushService()
  const keys = memoryKeys()
  await openSigner({ store, keys })
  const { share, resolve, timeout, allowHosts = behind.allowHosts } = options
  const key = await openVapidKey(store.records, createSecretBox(keys, 'push keys'))
  const push = webPush({
    ...{ store, key, share, resolve, timeout, allowHosts },
    contact: 'mailto:ops@example.com',
    home: () => 'https://sign.example/',
  })
  const own = running({
    policy: PUSH_POLICY,
    ...options.server,
    store,
    push,
    channels: [push.channel],
  })
  const bot = await own.agent('bot')
  const turnOn = async (as: Sender, browser: FakeBrowser = behind.browser(), name = 'Phone') => {
    const { endpoint, p256dh, auth } = browser
    const body = { endpoint, p256dh, auth, name, zone: 'Europe/Berlin' }
    const answer = await own.send('/v1/devices', { as, body })
    return { answer, browser, id: answer.status === 201 ? answer.at('device.id') : '' }
  }
  const ask = async (tool = 'pay', args: object = { amount: 500, to: 'Lena', card: CANARY }) => {
    const body = { tool, run: 'r', key: crypto.randomUUID(), args }
    const answer = await own.send('/v1/calls', { as: bot, body })
    return { id: answer.at('id'), digest: answer.at('digest') }
  }
  const decide = (as: Sender, { id, digest }: { id: string; digest: string }, verdict = 'deny') =>
    own.send(`/v1/approvals/${id}/decisions`, { as, body: { verdict, digest } })
  return { ...own, ...behind, clock, push, turnOn, ask, decide, key }
}
