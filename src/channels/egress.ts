import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { NotDelivered } from '../gate/channel.ts'

/** Where a request will really go: the address that was checked is the one that is connected to. */
export interface Destination {
  readonly address: string
  readonly family: 4 | 6
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

const resolveAll: Resolve = (host) => lookup(host, { all: true })

/**
 * Resolves a host once. Addresses inside of anybody's network are refused, all of them: a name
 * that answers with one of each is after something.
 */
export async function destinationOf(
  url: URL,
  allowHosts: readonly string[],
  resolve: Resolve = resolveAll,
): Promise<Destination> {
  const host = bareHost(url)
  const isAllowed = allowHosts.includes(url.host) || allowHosts.includes(url.hostname)
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await resolved(host, resolve)
  const [first] = found
  if (!first) throw new NotDelivered(`${url.hostname} has no address`)
  if (!isAllowed && !found.every(({ address }) => isPublic(address))) {
    throw new NotDelivered(`${url.hostname} is not on the public internet, and nobody allowed it`)
  }
  if (
    url.protocol !== 'https:' &&
    !(isAllowed && found.every(({ address }) => isLoopback(address)))
  ) {
    throw new NotDelivered('without https only an allowed host of this machine is told anything')
  }
  return { address: first.address, family: first.family === 6 ? 6 : 4 }
}

async function resolved(host: string, resolve: Resolve) {
  try {
    return await resolve(host)
  } catch {
    throw new NotDelivered(`${host} cannot be resolved`)
  }
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

const NOT_PUBLIC_4 = blockList('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
])

// What is public is listed, and what hides an older address inside is taken out again.
const GLOBAL_6 = blockList('ipv6', ['2000::/3'])
const NOT_PUBLIC_6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])
const LOOPBACK = blockList('ipv4', ['127.0.0.0/8'])
LOOPBACK.addAddress('::1', 'ipv6')

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [net = '', prefix] = range.split('/')
    list.addSubnet(net, Number(prefix), family)
  }
  return list
}

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !NOT_PUBLIC_4.check(address, 'ipv4')
  return (
    isIP(address) === 6 && GLOBAL_6.check(address, 'ipv6') && !NOT_PUBLIC_6.check(address, 'ipv6')
  )
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
