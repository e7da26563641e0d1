/** People who may decide, and the stand-ins of those who are away. */
import { queryOptions } from '@tanstack/react-query'
import type {
  EndedSessions,
  PeopleList,
  RemovedPerson,
  WireAccount,
  WireRole,
} from '../../../src/api/people.ts'
import type { StandInBody, StandInList } from '../../../src/api/stand-ins.ts'
import { useWrite } from './query-client.ts'
import { request } from './request.ts'

const member = (id: string) => `/v1/people/${encodeURIComponent(id)}`
const standIn = (id: string) => `/v1/people/stand-ins/${encodeURIComponent(id)}`

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: () => request<PeopleList>('GET', '/v1/people'),
  refetchInterval: 30_000,
})

export const standInsQuery = queryOptions({
  queryKey: ['stand-ins'],
  queryFn: () => request<StandInList>('GET', '/v1/people/stand-ins'),
  refetchInterval: 30_000,
})

export interface NewPerson {
  readonly email: string
  readonly name?: string
  readonly roles: readonly WireRole[]
}

export const useAddPerson = () =>
  useWrite(
    (body: NewPerson) => request<WireAccount>('POST', '/v1/people', body),
    () => [peopleQuery.queryKey],
  )

// The others change who may decide what, on every page.
export const useSetRoles = (id: string) =>
  useWrite(
    (roles: readonly WireRole[]) => request<WireAccount>('POST', member(id), { roles }),
    'everything',
  )

export const useRemovePerson = (id: string) =>
  useWrite(() => request<RemovedPerson>('DELETE', member(id)), 'everything')

export const useEndSessions = (id: string) =>
  useWrite(() => request<EndedSessions>('DELETE', `${member(id)}/sessions`), 'everything')

export const useSetStandIn = () =>
  useWrite(
    (body: StandInBody) => request<unknown>('POST', '/v1/people/stand-ins', body),
    'everything',
  )

export const useEndStandIn = (id: string) =>
  useWrite(() => request<unknown>('DELETE', standIn(id)), 'everything')

export const useTakeBackStandIn = (id: string) =>
  useWrite(() => request<unknown>('POST', `${standIn(id)}/take-back`), 'everything')
