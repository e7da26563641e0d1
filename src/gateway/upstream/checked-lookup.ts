import { lookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { destinationsOf, type Resolve } from '../../base/net/egress.ts'
import { ALLOW_HINT, type HttpSpec } from './upstream-spec.ts'

const resolveAll: Resolve = (host) => lookup(host, { all: true })

/** Asked for each new connection, so that a name cannot lead somewhere else later on. */
export function checkedLookup(
  { url, allowHosts }: Pick<HttpSpec, 'url' | 'allowHosts'>,
  resolve = resolveAll,
): LookupFunction {
  return (_host, options, done) => {
    void destinationsOf(url, allowHosts, resolve).then((found) => {
      if (!found.ok) done(new Error(`${found.problem}. ${ALLOW_HINT}`), '', 0)
      else if (options.all) done(null, [...found.value])
      else done(null, found.value[0].address, found.value[0].family)
    })
  }
}
