/** Tools that are written here. */
import { queryOptions } from '@tanstack/react-query'
import type { SaveToolBody, WireToolSpec } from '../../../src/api/studio/studio.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

type Json = Awaited<ReturnType<typeof runDraft>>['result']

export const studioQuery = queryOptions({
  queryKey: ['studio'],
  queryFn: () => call('GET /v1/studio/tools'),
})

export const studioToolQuery = (name: string) =>
  queryOptions({
    queryKey: ['studio', name],
    queryFn: () => call('GET /v1/studio/tools/:name', { params: { name } }),
    // What is being written must not be replaced by what is stored.
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })

export const studioVersionQuery = (name: string, version: number) =>
  queryOptions({
    queryKey: ['studio', name, 'version', version],
    queryFn: () =>
      call('GET /v1/studio/tools/:name/versions/:version', {
        params: { name, version: String(version) },
      }),
    staleTime: Number.POSITIVE_INFINITY,
  })

const EVERY = [['studio']]

export const useSaveTool = () =>
  useWrite(
    ({ name, body }: { name: string; body: SaveToolBody }) =>
      call('PUT /v1/studio/tools/:name', { params: { name }, body }),
    () => EVERY,
  )

export const usePublishTool = (name: string) =>
  useWrite(
    (body: { revision: number; lowers?: boolean }) =>
      call('POST /v1/studio/tools/:name/publish', { params: { name }, body }),
    () => [...EVERY, ['servers']],
  )

export const useUnpublishTool = (name: string) =>
  useWrite(
    () => call('POST /v1/studio/tools/:name/unpublish', { params: { name } }),
    () => [...EVERY, ['servers']],
  )

export const useRemoveTool = (name: string) =>
  useWrite(
    () => call('DELETE /v1/studio/tools/:name', { params: { name } }),
    () => [['studio']],
  )

export const useSetSecret = (name: string) =>
  useWrite(
    ({ secret, value, revision }: { secret: string; value: string; revision: number }) =>
      call('PUT /v1/studio/tools/:name/secrets/:secret', {
        params: { name, secret },
        body: { value, revision },
      }),
    () => [['studio', name]],
  )

export function runDraft(name: string, spec: WireToolSpec, args: { readonly [key: string]: Json }) {
  return call('POST /v1/studio/tools/:name/run', { params: { name }, body: { spec, args } })
}
