import { useQueries } from '@tanstack/react-query'
import { cardQuery } from '../../api/approvals.ts'
import { useRefetchInterval } from '../../api/query-client.ts'

/** Several cards at once; `missing` says how many are not here yet. Here, because the first load needs none. */
export function useCards(ids: readonly string[]) {
  const refetchInterval = useRefetchInterval()
  const found = useQueries({
    queries: ids.map((id) => ({ ...cardQuery(id), refetchInterval })),
  })
  const cards = found.flatMap(({ data }) => (data === undefined ? [] : [data]))
  return { cards, missing: ids.length - cards.length }
}
