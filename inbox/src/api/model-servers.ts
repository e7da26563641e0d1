/** Servers of models that admins enter; keys go in and never come out. */
import { queryOptions } from '@tanstack/react-query'
import type { ModelServerBody } from '../../../src/api/chat/model-servers.ts'
import { chatKeys } from './chat.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

const KEY = ['model-servers']

export const modelServersQuery = queryOptions({
  queryKey: KEY,
  queryFn: () => call('GET /v1/chat/model-servers'),
})

export const useSetModelServer = () =>
  useWrite(
    ({ name, body }: { name: string; body: ModelServerBody }) =>
      call('PUT /v1/chat/model-servers/:name', { params: { name }, body }),
    () => [KEY, chatKeys.overview],
  )

export const useRemoveModelServer = (name: string) =>
  useWrite(
    () => call('DELETE /v1/chat/model-servers/:name', { params: { name } }),
    () => [KEY, chatKeys.overview],
  )
