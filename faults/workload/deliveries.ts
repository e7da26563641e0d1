import type { NoticeKind } from '../../src/approval/transition.ts'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import type { Probe } from '../../src/gate/probe.ts'
import type { Store } from '../../src/store/store.ts'
import type { Log } from './log.ts'

/** What one process knew, took and sent, outside of the database: the only proof that it was sent. */
export type Delivery =
  /** Questions that were over when it began. */
  | { readonly phase: 'life'; readonly over: readonly string[] }
  /** Everything it sends is looked up after this. */
  | { readonly phase: 'took'; readonly notices: readonly string[] }
  | {
      readonly phase: 'sent'
      readonly notice: string
      readonly kind: NoticeKind
      readonly question: boolean
      readonly approval: string
      /** What the sender had seen of it when it last looked. */
      readonly revision: number
    }

/** A channel whose other end is a file: a notice has arrived when its line is on the disk. */
export function writtenChannel(log: Log<Delivery>): Channel {
  return {
    name: 'file',
    async send({ id, kind, question, approval }) {
      const { id: about, revision } = approval
      log.write({ phase: 'sent', notice: id, kind, question, approval: about, revision })
    },
  }
}

/** The same store, and every taking of notices is written down. */
export function watchTakes(store: Store, log: Log<Delivery>): Store {
  const { outbox } = store
  return {
    ...store,
    outbox: {
      ...outbox,
      async take(channels, options) {
        const taken = await outbox.take(channels, options)
        if (taken.length > 0) log.write({ phase: 'took', notices: taken.map(({ id }) => id) })
        return taken
      },
    },
  }
}

/** What a dead process left unsent is sent before anything new begins. */
export async function deliverLeftovers(
  store: Store,
  channel: Channel,
  probe: Probe,
): Promise<void> {
  const deliverer = startDeliverer({ store, channels: [channel], every: 1_000_000_000, probe })
  await deliverer.deliver()
  // A database can hold rows of the dead for a moment, until it has noticed that they are dead.
  for (let look = 0; look < 25 && (await store.outbox.summary()).waiting > 0; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    await deliverer.deliver()
  }
  await deliverer.stop()
}
