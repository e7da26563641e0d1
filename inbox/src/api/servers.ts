/** MCP servers behind the gate, their tools, and what admins switched. */
import { queryOptions } from '@tanstack/react-query'
import type { ServerList } from '../../../src/api/servers.ts'
import type { SwitchList } from '../../../src/api/switches.ts'
import { useWrite } from './query-client.ts'
import { queryOf, request } from './request.ts'

const KEY = ['servers'] as const

export const serversQuery = queryOptions({
  queryKey: [...KEY, 'all'],
  queryFn: () => request<ServerList>('GET', '/v1/servers'),
  refetchInterval: 10_000,
})

export const switchesQuery = queryOptions({
  queryKey: [...KEY, 'switches'],
  queryFn: () => request<SwitchList>('GET', '/v1/switches'),
  refetchInterval: 10_000,
})

/** Names of quarantined tools, for the banner on the other pages. */
export const quarantinedQuery = queryOptions({
  queryKey: [...KEY, 'held'],
  queryFn: () => request<ServerList>('GET', '/v1/servers?held=true'),
  refetchInterval: 30_000,
  select: ({ servers }) =>
    servers.flatMap(({ alias, tools }) => tools.map(({ tool }) => `${alias}/${tool}`)),
})

/** Connects to all of them; takes as long as the slowest. */
export const useProbeServers = () =>
  useWrite(
    () => request<ServerList>('POST', '/v1/servers/look'),
    () => [KEY],
  )

/** Exactly the definition that was shown: another one by now is refused. */
export const useAcceptTool = () =>
  useWrite(
    ({ id, digest }: { readonly id: string; readonly digest: string }) =>
      request<unknown>('POST', `/v1/mcp/tools/${encodeURIComponent(id)}/accept`, { digest }),
    () => [KEY],
  )

export interface SwitchTarget {
  readonly server: string
  readonly tool?: string | undefined
}

export interface SwitchChange {
  readonly target: SwitchTarget
  /** Undefined: back to what the files say. */
  readonly on: boolean | undefined
  /** The person was told that fewer calls are asked about, and wants it. */
  readonly lowers: boolean
}

function sendSwitch({ target: { server, tool }, on, lowers }: SwitchChange): Promise<unknown> {
  const of = tool === undefined ? '' : `/tools/${encodeURIComponent(tool)}`
  const path = `/v1/servers/${encodeURIComponent(server)}${of}/switch`
  return on === undefined
    ? request('DELETE', `${path}${queryOf(lowers ? { lowers } : {})}`)
    : request('PUT', path, { on, ...(lowers ? { lowers } : {}) })
}

export const useSetSwitch = () => useWrite(sendSwitch, () => [KEY])
