/** Asking back, commenting, assigning, reminding, and who else has a card open. */
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { WirePerson } from '../../../../src/api/common.ts'
import { approvalKeys } from '../approvals.ts'
import { call } from '../client.ts'
import { onReading } from '../live-events.ts'
import { useWrite } from '../query-client.ts'

const changed = (id: string) => () =>
  [approvalKeys.card(id), approvalKeys.events(id), approvalKeys.pending] as const

export interface AskedBack {
  readonly text: string
  readonly until?: number
}

export const useAskBack = (id: string) =>
  useWrite(
    (body: AskedBack) => call('POST /v1/approvals/:id/questions', { params: { id }, body }),
    changed(id),
  )

export const useReply = (id: string) =>
  useWrite(
    (text: string) => call('POST /v1/approvals/:id/replies', { params: { id }, body: { text } }),
    changed(id),
  )

export const useComment = (id: string) =>
  useWrite(
    (text: string) => call('POST /v1/approvals/:id/comments', { params: { id }, body: { text } }),
    changed(id),
  )

export const useRemind = (id: string) =>
  useWrite(() => call('POST /v1/approvals/:id/remind', { params: { id } }), changed(id))

export const useAssign = (id: string) =>
  useWrite(
    (to: string | undefined) =>
      call('POST /v1/approvals/:id/assign', {
        params: { id },
        body: to === undefined ? {} : { to },
      }),
    changed(id),
  )

export const assignableQuery = (id: string) =>
  queryOptions({
    queryKey: ['assignable', id],
    queryFn: () => call('GET /v1/approvals/:id/assignable', { params: { id } }),
    select: ({ people }) => people,
  })

const SAY_MS = 5_000
const readersKey = (id: string) => ['readers', id] as const

/** Says that this page shows the card, while it does, and who else says so. */
export function useReaders(id: string): readonly WirePerson[] {
  const client = useQueryClient()
  useEffect(
    () =>
      onReading((now) => {
        if (now.id === id) client.setQueryData(readersKey(id), now)
      }),
    [client, id],
  )
  const { data } = useQuery({
    queryKey: readersKey(id),
    queryFn: () => call('POST /v1/approvals/:id/reading', { params: { id } }),
    // Only while the page is visible: a card in a hidden tab is not read.
    refetchInterval: SAY_MS,
    refetchIntervalInBackground: false,
    retry: false,
    gcTime: 0,
    staleTime: 0,
  })
  return data?.readers ?? []
}
