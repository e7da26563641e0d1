/** People who may decide, and the stand-ins of those who are away. */
import { queryOptions } from '@tanstack/react-query'
import type { PersonBody, WireRole } from '../../../src/api/people.ts'
import type { StandInBody } from '../../../src/api/stand-ins.ts'
import { call } from './client.ts'
import { useWrite } from './query-client.ts'

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: () => call('GET /v1/people'),
  refetchInterval: 30_000,
})

export const standInsQuery = queryOptions({
  queryKey: ['stand-ins'],
  queryFn: () => call('GET /v1/people/stand-ins'),
  refetchInterval: 30_000,
})

export const onCallQuery = queryOptions({
  queryKey: ['on-call'],
  queryFn: () => call('GET /v1/on-call'),
  refetchInterval: 30_000,
})

export const useAddPerson = () =>
  useWrite(
    (body: PersonBody) => call('POST /v1/people', { body }),
    () => [peopleQuery.queryKey],
  )

// The others change who may decide what, on every page.
export const useSetRoles = (person: string) =>
  useWrite(
    (roles: readonly WireRole[]) =>
      call('POST /v1/people/:person', { params: { person }, body: { roles } }),
    'everything',
  )

export const useRemovePerson = (person: string) =>
  useWrite(() => call('DELETE /v1/people/:person', { params: { person } }), 'everything')

export const useEndSessions = (person: string) =>
  useWrite(() => call('DELETE /v1/people/:person/sessions', { params: { person } }), 'everything')

export const useSetStandIn = () =>
  useWrite((body: StandInBody) => call('POST /v1/people/stand-ins', { body }), 'everything')

export const useEndStandIn = (standIn: string) =>
  useWrite(
    () => call('DELETE /v1/people/stand-ins/:standIn', { params: { standIn } }),
    'everything',
  )

export const useTakeBackStandIn = (standIn: string) =>
  useWrite(
    () => call('POST /v1/people/stand-ins/:standIn/take-back', { params: { standIn } }),
    'everything',
  )
