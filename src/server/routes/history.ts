import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import type { QueryOf } from '../../api/contract.ts'
import type { ContractOf } from '../../api/contracts.ts'
import { given } from '../../base/json/json.ts'
import type { Filter } from '../../store/store.ts'
import { CSV_HEAD, csvLine, exportedRows, jsonLine } from '../history/export.ts'
import { summaryOf } from '../history/summary.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import type { Services } from '../services.ts'

/** Looking back at many approvals at once: numbers and files. */
export function historyRoutes(services: Services): Route[] {
  function exported(
    c: Context,
    filter: Filter,
    person: PersonCaller['person'],
    as: { readonly name: string; readonly type: string; readonly head: string },
    line: typeof csvLine,
  ): Response {
    const rows = exportedRows(services, filter, person)
    c.header('content-type', as.type)
    c.header('content-disposition', `attachment; filename="${as.name}"`)
    return stream(c, async (out) => {
      out.onAbort(() => void rows.return(undefined))
      if (as.head !== '') await out.write(as.head)
      for await (const page of rows) await out.write(page.map(line).join(''))
    })
  }

  return [
    route('GET /v1/approvals/summary', async ({ query, reply }) =>
      reply(200, await summaryOf(services.store, filterOf(query))),
    ),
    route('GET /v1/approvals/export.csv', ({ c, caller, query, raw }) => {
      const { person } = personOf(caller)
      const as = { name: 'approvals.csv', type: 'text/csv; charset=utf-8', head: CSV_HEAD }
      return raw(exported(c, filterOf(query), person, as, csvLine))
    }),
    route('GET /v1/approvals/export.jsonl', ({ c, caller, query, raw }) => {
      const { person } = personOf(caller)
      const as = { name: 'approvals.jsonl', type: 'application/x-ndjson', head: '' }
      return raw(exported(c, filterOf(query), person, as, jsonLine))
    }),
  ]
}

type Asked = QueryOf<ContractOf<'GET /v1/approvals/summary'>>

/** What a store is asked for. Without a filter, or with `all`, nothing is left out. */
export function filterOf({ q = '', status, execution, person, ...equal }: Asked): Filter {
  return {
    ...equal,
    ...given({
      status: withoutAll(status),
      execution: withoutAll(execution),
      person: person === '' ? undefined : person,
    }),
    ...(q.trim() === '' ? {} : { text: q.trim() }),
  }
}

function withoutAll<T extends string>(words: readonly (T | 'all')[] = ['all']) {
  return words.includes('all') ? undefined : (words as readonly T[])
}
