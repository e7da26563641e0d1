/** Apart from the other queries about servers: every page shows it, so it is part of the first load. */
import { queryOptions } from '@tanstack/react-query'
import { call } from './client.ts'

/** Names of quarantined tools, for the banner on the other pages. */
export const quarantinedQuery = queryOptions({
  queryKey: ['servers', 'held'],
  queryFn: () => call('GET /v1/servers', { query: { held: true } }),
  refetchInterval: 30_000,
  select: ({ servers }) =>
    servers.flatMap(({ alias, tools }) => tools.map(({ tool }) => `${alias}/${tool}`)),
})
