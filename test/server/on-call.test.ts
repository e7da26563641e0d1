import { expect } from 'vitest'
import type { Channel } from '../../src/gate/notify/channel.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const POLICY = `version: 1
people:
  groups:
    ops:
      members: [ana@example.com, bo@example.com]
      on_call: { rotation: [bo@example.com], handover: daily 09:00, since: "2026-01-05" }
    lost:
      members: [cy@example.com]
      on_call: { calendar: /no/such/file.ics }
tools:
  pay: { approval: { approvers: [{ group: ops }] } }
  wipe: { approval: { quorum: [{ group: lost, n: 1 }] } }
notify:
  - { risk: { gte: L4 }, channels: [push], at_once: true }
`

promise(
  ['CS-ONCALL-1', 'CS-ONCALL-2'],
  'a server tells the person on call of a call, and all where the schedule is lost',
  async () => {
    const told: string[] = []
    const channel: Channel = {
      name: 'board',
      addresses: async (_, people) => people.flatMap(({ email }) => email ?? []),
      async send({ approval }, _, delivery) {
        told.push(`${delivery?.address} ${approval.tool}`)
        return undefined
      },
    }
    const { send, agent, person } = running({ policy: POLICY, channels: [channel] })
    const bot = await agent('bot')
    const [ana] = await Promise.all(['ana', 'bo', 'cy'].map((one) => person(`${one}@example.com`)))
    const ask = (tool: string) => send('/v1/calls', { as: bot, body: { tool, args: {} } })
    const pay = await ask('pay')
    expect(pay.at('status')).toBe('pending')
    await ask('wipe')
    await expect.poll(() => told.toSorted()).toEqual(['bo@example.com pay', 'cy@example.com wipe'])
    const list = await send('/v1/on-call', { as: ana ?? {} })
    expect(list.body).toMatchObject({
      groups: [
        { group: 'ops', people: ['bo@example.com'], othersAfter: 900_000 },
        { group: 'lost', people: [], problem: 'its file is not there' },
      ],
    })
    const at = async (time: number) =>
      (await send(`/v1/on-call?at=${time}`, { as: ana ?? {} })).status
    expect([await at(253_402_300_799_999), await at(8.64e15)]).toEqual([200, 400])
    const never = await send('/v1/on-call?at=9000000000000000', { as: ana ?? {} })
    expect([never.status, never.at('error.code')]).toEqual([400, 'invalid_value'])
    // Ana is not on call, and decides all the same.
    const body = { verdict: 'approve', digest: pay.at('digest') }
    const path = `/v1/approvals/${pay.at('id')}/decisions`
    expect((await send(path, { as: ana ?? {}, body })).at('status')).toBe('approved')
  },
)

promise(
  ['CS-DIGEST-1', 'CS-ROUTE-1'],
  'people set digests and read the policy beside',
  async () => {
    const { send, person } = running({ policy: POLICY })
    const ana = await person('ana@example.com')
    const put = (body: object) => send('/v1/me/notifications', { as: ana, body, method: 'PUT' })
    const digests = [{ channel: 'board', at: '09:00', zone: 'Europe/Berlin' }]
    expect((await put({ digests })).body).toMatchObject({ preferences: { digests } })
    const kept = await send('/v1/me/notifications', { as: ana })
    expect(kept.body).toMatchObject({
      preferences: { digests },
      policy: [
        'Every call at risk L4 and up, or not rated: by push first; at once, also in quiet hours and without a digest.',
      ],
    })
    const twice = await put({ digests: [...digests, { channel: 'board', every: 30 }] })
    expect(twice.at('error.code')).toBe('invalid_value')
    expect((await put({ digests: [{ channel: 'board', every: 1 }] })).status).toBe(400)
  },
)
