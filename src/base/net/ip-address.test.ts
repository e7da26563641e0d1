import { BlockList, isIP } from 'node:net'
import fc from 'fast-check'
import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import { isAddress, isLoopbackAddress, isPublicAddress } from './ip-address.ts'

/** What Node thinks of the same ranges. */
const inside = new BlockList()
const INSIDE_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]
for (const range of INSIDE_4) {
  const [net = '', bits] = range.split('/')
  inside.addSubnet(net, Number(bits), 'ipv4')
}
const outside = new BlockList()
outside.addSubnet('2000::', 3, 'ipv6')
const hidden = new BlockList()
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  hidden.addSubnet(net, bits, 'ipv6')
}

const near4 = fc
  .constantFrom(...INSIDE_4.map((range) => range.split('/')[0] ?? ''))
  .chain((net) => fc.tuple(fc.constant(net), fc.integer({ min: 0, max: 3 }), fc.nat(255)))
  .map(([net, at, group]) => net.split('.').with(at, String(group)).join('.'))
const near6 = fc
  .tuple(fc.constantFrom('2000', '2001', '2001:db8', '2002', '3fff', 'fe80', '::ffff'), fc.ipV6())
  .map(([start, rest]) => `${start}:${rest.split(':').slice(-2).join(':')}`)

promise(['CS-TOLD-6', 'CS-MCP-23'], 'an address is judged as Node judges it', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), near4, fc.ipV6(), near6, fc.string()), (text) => {
      // The web knows no zones, so an address with one is none; nothing public has one.
      expect(isAddress(text)).toBe(isIP(text) > 0 && !text.includes('%'))
      const isPublic =
        isIP(text) === 4
          ? !inside.check(text, 'ipv4')
          : isIP(text) === 6 && outside.check(text, 'ipv6') && !hidden.check(text, 'ipv6')
      expect(isPublicAddress(text)).toBe(isPublic && !text.includes('%'))
    }),
    { numRuns: 5_000 },
  )
  for (const own of ['127.0.0.1', '127.255.0.9', '::1', '0:0:0:0:0:0:0:1']) {
    expect(isLoopbackAddress(own)).toBe(true)
  }
  for (const other of ['128.0.0.1', '::2', '::', 'localhost', '']) {
    expect(isLoopbackAddress(other)).toBe(false)
  }
})
