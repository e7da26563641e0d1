import type { QueryOf } from '../../api/contract.ts'
import type { ContractOf } from '../../api/contracts.ts'
import { given } from '../../base/json/json.ts'
import type { Filter } from '../../store/store.ts'
import { CSV_HEAD, csvLine, exportedRows, jsonLine } from '../history/export.ts'
import { summaryOf } from '../history/summary.ts'
import { type DownloadedFile, download } from '../http/download.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { PersonCaller } from '../identity/caller.ts'
import type { Services } from '../services.ts'

interface Exported extends DownloadedFile {
  readonly head: string
  readonly line: typeof csvLine
}

const CSV: Exported = {
  name: 'approvals.csv',
  type: 'text/csv; charset=utf-8',
  head: CSV_HEAD,
  line: csvLine,
}
const JSONL: Exported = {
  name: 'approvals.jsonl',
  type: 'application/x-ndjson',
  head: '',
  line: jsonLine,
}

/** Looking back at many approvals at once: numbers and files. */
export function historyRoutes(services: Services): Route[] {
  async function* lines(
    filter: Filter,
    person: PersonCaller['person'],
    { head, line }: Exported,
  ): AsyncGenerator<string> {
    yield head
    for await (const page of exportedRows(services, filter, person)) yield page.map(line).join('')
  }

  return [
    route('GET /v1/approvals/summary', async ({ query, reply }) =>
      reply(200, await summaryOf(services.store, filterOf(query))),
    ),
    route('GET /v1/approvals/export.csv', ({ c, caller, query, raw }) =>
      raw(download(c, CSV, lines(filterOf(query), personOf(caller).person, CSV))),
    ),
    route('GET /v1/approvals/export.jsonl', ({ c, caller, query, raw }) =>
      raw(download(c, JSONL, lines(filterOf(query), personOf(caller).person, JSONL))),
    ),
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
