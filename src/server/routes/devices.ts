import type { DeviceList, WireDevice } from '../../api/channels/devices.ts'
import { CountersignError } from '../../base/errors.ts'
import type { StoredDevice } from '../../store/records/device-record.ts'
import { addressOf } from '../http/origin.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Services } from '../services.ts'

/** Browsers that get push messages, for the people they belong to. */
export function deviceRoutes(services: Services): Route[] {
  const { devices } = services
  const tests = createRateLimit({ most: 10, windowMs: 60_000, what: 'test messages' })
  const renewals = createRateLimit({ most: 20, windowMs: 60_000, what: 'renewals' })

  return [
    route('GET /v1/devices', async ({ caller, reply }) => {
      const { publicKey } = devices
      const answer: DeviceList = {
        ...(publicKey === undefined ? {} : { publicKey }),
        devices: (await devices.of(personOf(caller))).map(wireDevice),
      }
      return reply(200, answer)
    }),
    route('POST /v1/devices', async ({ caller, body, reply }) => {
      const { device, renewal } = await devices.add(personOf(caller), body)
      return reply(201, { device: wireDevice(device), renewal })
    }),
    route('POST /v1/devices/seen', async ({ caller, body, reply }) => {
      const device = await devices.seen(personOf(caller), body.endpoint)
      return reply(200, device ? { device: wireDevice(device) } : {})
    }),
    route('POST /v1/devices/renew', async ({ c, body, reply }) => {
      renewals.take(addressOf(c, services))
      return reply(200, { renewal: await devices.renew(body) })
    }),
    route('POST /v1/devices/:device/test', async ({ caller, params, reply }) => {
      const person = personOf(caller)
      tests.take(JSON.stringify([person.account.issuer, person.account.subject]))
      await devices.test(person, params.device)
      return reply(204)
    }),
    route('DELETE /v1/devices/:device', async ({ caller, params, reply }) => {
      if (await devices.remove(personOf(caller), params.device)) return reply(204)
      throw new CountersignError('device_unknown', 'you have no such device')
    }),
  ]
}

/** Its endpoint and keys stay here: they are of use to the browser alone. */
function wireDevice({ id, name, at, seenAt, until }: StoredDevice): WireDevice {
  return { id, name, at, seenAt, until }
}
