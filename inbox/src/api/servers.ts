/** MCP servers behind the gate, their tools, and what admins switched. */
import { queryOptions } from '@tanstack/react-query'
import type { ServerEntry } from '../../../src/api/mcp/server-entry.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

const KEY = ['servers'] as const

export const serversQuery = queryOptions({
  queryKey: [...KEY, 'all'],
  queryFn: () => call('GET /v1/servers'),
  refetchInterval: 10_000,
})

export const switchesQuery = queryOptions({
  queryKey: [...KEY, 'switches'],
  queryFn: () => call('GET /v1/switches'),
  refetchInterval: 10_000,
})

/** Connects to all of them; takes as long as the slowest. */
export const useProbeServers = () =>
  useWrite(
    () => call('POST /v1/servers/look', { timeout: false }),
    () => [KEY],
  )

/** Exactly the definition that was shown: another one by now is refused. */
export const useAcceptTool = () =>
  useWrite(
    ({ id, digest }: { readonly id: string; readonly digest: string }) =>
      call('POST /v1/mcp/tools/:id/accept', { params: { id }, body: { digest } }),
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
  const meant = lowers ? { lowers } : {}
  if (tool === undefined) {
    const params = { server }
    return on === undefined
      ? call('DELETE /v1/servers/:server/switch', { params, query: meant })
      : call('PUT /v1/servers/:server/switch', { params, body: { on, ...meant } })
  }
  const params = { server, tool }
  return on === undefined
    ? call('DELETE /v1/servers/:server/tools/:tool/switch', { params, query: meant })
    : call('PUT /v1/servers/:server/tools/:tool/switch', { params, body: { on, ...meant } })
}

export const useSetSwitch = () => useWrite(sendSwitch, () => [KEY])

/** Connects to a server that no file names yet. Nothing is kept. */
export const useTestServer = () =>
  useWrite(
    (body: ServerEntry & { readonly runs?: string }) =>
      call('POST /v1/servers/test', { body: writable(body), timeout: false }),
    () => [],
  )

/** Into the policy file: not in force before it is applied. */
export const useDraftServer = () =>
  useWrite(
    (body: ServerEntry) => call('POST /v1/policy/draft/servers', { body: writable(body) }),
    () => [['draft'], ['status']],
  )

const writable = <T extends ServerEntry>({ args, tools, ...rest }: T) => ({
  ...rest,
  ...(args ? { args: [...args] } : {}),
  ...(tools ? { tools: [...tools] } : {}),
})

export interface BeginSignIn {
  readonly server: string
  readonly client?: { issuer: string; id: string; secret?: string }
}

/** Asks the server where its users sign in. Nothing is signed in yet. */
export const useBeginSignIn = () =>
  useWrite(
    ({ server, client }: BeginSignIn) =>
      call('POST /v1/servers/:server/sign-in', {
        params: { server },
        body: client ? { client } : {},
        timeout: false,
      }),
    () => [],
  )

/** Then every server is looked at again: the page would show what it was before. */
export const useFinishSignIn = () =>
  useWrite(
    async (body: { readonly place: string; readonly query: string }) => {
      const finished = await call('POST /v1/servers/sign-ins', { body, timeout: false })
      await call('POST /v1/servers/look', { timeout: false })
      return finished
    },
    () => [KEY],
  )

export const useEndSignIn = () =>
  useWrite(
    async (server: string) => {
      await call('DELETE /v1/servers/:server/sign-in', { params: { server }, timeout: false })
      await call('POST /v1/servers/look', { timeout: false })
    },
    () => [KEY],
  )
