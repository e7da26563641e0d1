import { failure, type Result, success } from '../result.ts'
import { isAddress, isLoopbackAddress, isPublicAddress } from './ip-address.ts'

/** Where a request will really go: the addresses that were checked are those connected to. */
export interface Destination {
  readonly address: string
  readonly family: 4 | 6
}

export type Resolve = (host: string) => Promise<readonly { address: string; family: number }[]>

/**
 * Resolves a host once. Refuses all addresses if one of them is inside a private network: a name
 * that resolves to both kinds is suspicious.
 */
export async function destinationsOf(
  url: URL,
  allowHosts: readonly string[],
  resolve: Resolve,
): Promise<Result<readonly [Destination, ...Destination[]]>> {
  const own = ownAddress(url)
  let found: readonly { address: string; family: number }[]
  try {
    found = own ? [own] : await resolve(url.hostname)
  } catch {
    return failure(`${url.hostname} cannot be resolved`)
  }
  const [first, ...rest] = found.map(({ address, family }): Destination => {
    return { address, family: family === 6 ? 6 : 4 }
  })
  if (!first) return failure(`${url.hostname} has no address`)
  const all = [first, ...rest] as const
  const why = refusedBecause(url, allowHosts, all)
  return why === undefined ? success(all) : failure(why)
}

/** For a host that is an address already: nothing is resolved, so look before connecting. */
export function refusedAddress(url: URL, allowHosts: readonly string[]): string | undefined {
  const own = ownAddress(url)
  return own && refusedBecause(url, allowHosts, [own])
}

function refusedBecause(
  url: URL,
  allowHosts: readonly string[],
  found: readonly Destination[],
): string | undefined {
  const isAllowed = allowHosts.includes(url.host) || allowHosts.includes(url.hostname)
  if (!isAllowed && !found.every(({ address }) => isPublicAddress(address))) {
    return `${url.hostname} is not on the public internet and was not allowed`
  }
  if (
    url.protocol !== 'https:' &&
    !(isAllowed && found.every(({ address }) => isLoopbackAddress(address)))
  ) {
    return 'without https only an allowed host of this machine is reached'
  }
  return undefined
}

function ownAddress({ hostname }: URL): Destination | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  return isAddress(address) ? { address, family: address.includes(':') ? 6 : 4 } : undefined
}
