import type { ClientBase, QueryResult } from 'pg'
import type { Grant } from '../../approval/grants/grant.ts'
import {
  type Grants,
  grantLimit,
  grantPage,
  grantsBefore,
  MAX_CANDIDATES,
  type StoredUse,
} from '../grants.ts'
import { fromGrantBody } from '../sql/grant-rows.ts'
import { numberOf, type Row, textOf } from './connect.ts'
import { CLOCK } from './open.ts'

const GRANT = 'select id, position, body, seal from countersign.grants where tenant = $1'

export function readGrant(row: Row): Grant {
  return fromGrantBody(textOf(row, 'id'), textOf(row, 'body'), textOf(row, 'seal'))
}

/** After the approvals, in the order of their ids: all transactions take locks in this order. */
export function lockGrants(
  client: Pick<ClientBase, 'query'>,
  tenant: string,
  ids: readonly string[],
): Promise<QueryResult<Row>> {
  return client.query<Row>(
    `${GRANT} and id in (select json_array_elements_text($2)) order by id for update`,
    [tenant, JSON.stringify(ids)],
  )
}

export const INSERT_GRANTS = `
  insert into countersign.grants (tenant, id, revision, state, agent, tool, server, uses, most,
    minted_at, ends_at, body, seal)
  select $1, x.* from json_to_recordset($2) as x(id text, revision bigint, state text, agent text,
    tool text, server text, uses integer, most integer, minted_at bigint, ends_at bigint, body text,
    seal text)`

export const UPDATE_GRANTS = `
  update countersign.grants g
  set revision = x.revision, state = x.state, uses = x.uses, body = x.body, seal = x.seal
  from json_to_recordset($2) as x(id text, was bigint, revision bigint, state text, uses integer,
    body text, seal text)
  where g.tenant = $1 and g.id = x.id and g.revision = x.was`

export const INSERT_USES = `
  insert into countersign.grant_uses (tenant, grant_id, n, approval, at, amount)
  select $1, x.* from json_to_recordset($2) as x("grant" text, n integer, approval text, at bigint,
    amount double precision)`

export interface GrantParts {
  readonly tenant: string
  readonly query: (sql: string, values: readonly unknown[]) => Promise<QueryResult<Row>>
  readonly now: () => Promise<number>
  readonly apply: Grants['apply']
}

export function createGrants({ tenant, query, now, apply }: GrantParts): Grants {
  return {
    apply,
    async get(id) {
      const [row] = (await query(`${GRANT} and id = $2`, [tenant, id])).rows
      return row && readGrant(row)
    },
    async list({ state, agent, tool } = {}, { limit, after } = {}) {
      const most = grantLimit(limit)
      const { rows } = await query(
        `${GRANT} and position < $2 and ($3::text[] is null or state = any($3))
           and ($4::text is null or agent = $4) and ($5::text is null or tool = $5)
         order by position desc limit $6`,
        [tenant, grantsBefore(after), state ?? null, agent ?? null, tool ?? null, most + 1],
      )
      const found = rows.map((row) => ({
        item: readGrant(row),
        position: numberOf(row, 'position'),
      }))
      const { items, ...rest } = grantPage(found, most)
      return { grants: items, ...rest }
    },
    async candidates({ agent, tool, server }) {
      const { rows } = await query(
        `${GRANT} and agent = $2 and tool = $3 and server is not distinct from $4
           and state = 'live' and ends_at > ${CLOCK} order by ends_at, position limit $5`,
        [tenant, agent, tool, server ?? null, MAX_CANDIDATES],
      )
      return rows.map(readGrant)
    },
    async uses(id, { limit, after } = {}) {
      const most = grantLimit(limit)
      const { rows } = await query(
        `select grant_id, n, approval, at, amount from countersign.grant_uses
         where tenant = $1 and grant_id = $2 and n < $3 order by n desc limit $4`,
        // The numbers of uses are small; an endless page begins past all of them.
        [tenant, id, Math.min(grantsBefore(after), 2_147_483_647), most + 1],
      )
      const found = rows.map((row) => ({ item: useOf(row), position: numberOf(row, 'n') }))
      const { items, ...rest } = grantPage(found, most)
      return { uses: items, ...rest }
    },
    async due(limit = 100) {
      const { rows } = await query(
        `${GRANT} and state = 'live' and ends_at <= $2 order by ends_at limit $3`,
        [tenant, await now(), limit],
      )
      return rows.map(readGrant)
    },
  }
}

function useOf(row: Row): StoredUse {
  return {
    grant: textOf(row, 'grant_id'),
    n: numberOf(row, 'n'),
    approval: textOf(row, 'approval'),
    at: numberOf(row, 'at'),
    ...(row.amount === null ? {} : { amount: Number(row.amount) }),
  }
}
