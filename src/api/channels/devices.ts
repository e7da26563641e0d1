import * as v from 'valibot'
import { about, type Given, type Infer, object, optional, text, whole } from '../schema.ts'

/** A browser in which a person turned push messages on. */
export const WireDevice = object({
  id: v.string(),
  name: about(v.string(), 'As its person calls it.'),
  at: whole(),
  seenAt: about(whole(), 'When the inbox was last open on it.'),
  until: about(whole(), 'It gets no more messages then, unless the inbox is opened on it before.'),
})
export type WireDevice = Infer<typeof WireDevice>

/** `GET /v1/devices`: those of the caller. */
export const DeviceList = object({
  publicKey: optional(
    about(v.string(), 'What a browser subscribes to. Absent: this server sends no push messages.'),
  ),
  devices: v.array(WireDevice),
})
export type DeviceList = Infer<typeof DeviceList>

const secret = text({ min: 1, max: 64 })

const subscription = {
  endpoint: text({ min: 1, max: 2_000 }),
  p256dh: text({ min: 1, max: 200 }),
  auth: text({ min: 1, max: 100 }),
}

/** `POST /v1/devices`: what `PushManager.subscribe` gave, and how people call the browser. */
export const DeviceBody = object({
  ...subscription,
  name: text({ min: 1, max: 100 }),
  zone: optional(about(text({ min: 1, max: 64 }), 'Time zone, such as `Europe/Berlin`.')),
})
export type DeviceBody = Given<typeof DeviceBody>

export const NewDevice = object({
  device: WireDevice,
  renewal: about(v.string(), 'With it the service worker names a new endpoint. Shown this once.'),
})
export type NewDevice = Infer<typeof NewDevice>

/** `POST /v1/devices/seen`. */
export const SeenBody = object({ endpoint: subscription.endpoint })

export const SeenDevice = object({
  device: optional(about(WireDevice, 'Absent: this browser is not a device of the caller.')),
})
export type SeenDevice = Infer<typeof SeenDevice>

/** `POST /v1/devices/renew`: from a service worker, when the browser changed its subscription. */
export const RenewDeviceBody = object({
  was: subscription.endpoint,
  renewal: secret,
  ...subscription,
})

export const RenewedDevice = object({ renewal: v.string() })
