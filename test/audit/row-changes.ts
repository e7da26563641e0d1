import { breakInto, type Intruder, quoted, type Recorded, sha256 } from './record.ts'

export type Cells = Record<string, string | number | null>

/** Columns that an intruder may change without anything being decided otherwise, and why. */
export const UNCOMPARED: Readonly<Record<string, string>> = {
  'approvals.position': 'the order in which lists show what has equal rank; rules never read it',
  'grants.position': 'the order in which lists show grants; rules never read it',
}

/** What rows of each table are looked at, column by column. */
export const TABLES = [
  ['approvals', "run = 'run-1'"],
  ['grants', "state = 'live'"],
  ['grants', "state = 'revoked'"],
  ['records', "kind = 'lock'"],
  ['records', "kind = 'stand-in'"],
  ['records', "kind = 'switch'"],
  ['records', "kind = 'token'"],
  ['records', "kind = 'policy'"],
  ['records', "kind = 'policy-text'"],
  ['records', "kind = 'person'"],
  ['records', "kind = 'passkey'"],
  ['votes', "verdict = 'approve'"],
  ['claims', 'at > 0'],
  ['grant_uses', 'n = 1'],
] as const

/** Something else in this column, as far as the checks of the table allow it. */
export function changed(column: string, row: Cells): Cells {
  const value = row[column] ?? null
  const number = /^\d+$/.test(String(value)) ? Number(value) : undefined
  switch (column) {
    case 'status':
      return { status: 'denied' }
    case 'state':
      return { state: value === 'live' ? 'revoked' : 'live' }
    case 'execution':
      return { execution: 'running', status: 'approved' }
    case 'verdict':
      return { verdict: value === 'deny' ? 'approve' : 'deny' }
    case 'joinable':
      return { joinable: 1 - Number(value) }
    case 'position':
      return { position: Number(value) + 1_000 }
    case 'uses':
      return { uses: value === 0 ? 1 : 0 }
    case 'minted_at':
      return { minted_at: Number(value) - 1 }
    case 'expires_at':
      return { expires_at: value === null ? 4_000_000_000_000 : null }
    case 'body':
    case 'value':
      return { [column]: `${value} ` }
    default:
      return {
        [column]: value === null ? 'other' : number === undefined ? `${value}x` : number + 1,
      }
  }
}

const literal = (value: Cells[string]) =>
  typeof value === 'string' ? quoted(value) : String(value)

/** Makes one row another. */
export function replace({ run }: Intruder, table: string, from: Cells, to: Cells): Promise<void> {
  const set = Object.entries(to).map(([name, value]) => `${name} = ${literal(value)}`)
  const where = Object.entries(from).map(
    ([name, value]) => `${name} is not distinct from ${literal(value)}`,
  )
  return run(`update ${table} set ${set.join(', ')} where ${where.join(' and ')}`)
}

export async function columnsOf(of: Recorded, table: string): Promise<string[]> {
  const names: string[] = []
  await breakInto(of, async ({ rows }) => {
    const [row] = await rows(`select * from ${table} limit 1`)
    names.push(...Object.keys(row ?? {}))
  })
  return names
}

/** A row put in by SQL, like one that is there. */
async function insertLike(
  { rows, run }: Intruder,
  table: string,
  where: string,
  change: (row: Cells) => Cells,
): Promise<void> {
  const [found] = await rows(`select * from ${table} where ${where} limit 1`)
  const row = change(found as Cells)
  const cells = Object.values(row).map(literal)
  await run(`insert into ${table} (${Object.keys(row).join(', ')}) values (${cells.join(', ')})`)
}

/** Body, columns and seal of a grant fit each other afterwards, as somebody careful leaves it. */
async function rewriteGrant(
  { rows, run }: Intruder,
  state: string,
  change: (grant: Record<string, unknown>) => object,
): Promise<void> {
  const [row] = await rows(`select id, body from grants where state = '${state}'`)
  const body = JSON.stringify(change(JSON.parse(String(row?.body))))
  const { limits, endsAt, ...grant } = JSON.parse(body)
  await run(`update grants set body = ${quoted(body)}, seal = '${sha256(body)}',
    state = ${quoted(grant.state)}, uses = ${grant.uses}, most = ${limits.uses},
    ends_at = ${endsAt} where id = ${quoted(String(row?.id))}`)
}

export const BY_SQL: readonly [string, (intruder: Intruder) => Promise<void>, string, string][] = [
  [
    'a grant put in',
    (intruder) =>
      insertLike(intruder, 'grants', "state = 'live'", ({ id, body, ...row }) => {
        const other = `${String(id).slice(0, -1)}z`
        const made = String(body).replaceAll(String(id), other)
        return { ...row, position: 9_999, id: other, body: made, seal: sha256(made) }
      }),
    'row_unknown',
    'grant ',
  ],
  [
    'a grant for more uses, until later',
    (intruder) =>
      rewriteGrant(intruder, 'live', (grant) => ({
        ...grant,
        limits: { ...(grant.limits as object), uses: 9_000 },
        endsAt: Number(grant.endsAt) + 1_000_000,
      })),
    'row_changed',
    'grant ',
  ],
  [
    'a grant that covers every amount',
    (intruder) =>
      rewriteGrant(intruder, 'live', (grant) => ({
        ...grant,
        limits: { ...(grant.limits as object), condition: {} },
      })),
    'row_changed',
    'grant ',
  ],
  [
    'a grant with its uses given back',
    (intruder) => rewriteGrant(intruder, 'live', (grant) => ({ ...grant, uses: 0, spent: '0' })),
    'row_changed',
    'grant ',
  ],
  [
    'a revoked grant, live again',
    (intruder) =>
      rewriteGrant(intruder, 'revoked', ({ endedBy: _, ...grant }) => ({
        ...grant,
        state: 'live',
      })),
    'row_changed',
    'grant ',
  ],
  [
    'a grant removed',
    ({ run }) => run("delete from grants where state = 'revoked'"),
    'row_missing',
    'grant ',
  ],
  [
    'a lock removed',
    ({ run }) => run("delete from records where kind = 'lock'"),
    'row_missing',
    'lock ',
  ],
  [
    'a lock that names somebody else',
    ({ run }) =>
      run("update records set value = replace(value, 'somebody', 'nobody') where kind = 'lock'"),
    'row_changed',
    'lock ',
  ],
  [
    'a lock that ends sooner',
    ({ run }) => run("update records set expires_at = 5 where kind = 'lock'"),
    'row_changed',
    'lock ',
  ],
  [
    'a stand-in put in',
    (intruder) =>
      insertLike(intruder, 'records', "kind = 'stand-in'", ({ id, value, ...row }) => {
        return { ...row, id: 'another', value: String(value).replaceAll(String(id), 'another') }
      }),
    'row_unknown',
    'stand-in another',
  ],
  [
    'a stand-in of somebody else',
    ({ run }) =>
      run(
        `update records set value = replace(value, '"eve"', '"mallory"') where kind = 'stand-in'`,
      ),
    'row_changed',
    'stand-in ',
  ],
  [
    'a tool switched by SQL',
    ({ run }) => run(`update records set value = '{"on":true}' where kind = 'switch'`),
    'row_changed',
    'switch bank/pay',
  ],
  [
    'a switch put back to how it was once',
    ({ run }) =>
      run(`update records set value = '{"on":true}', revision = 1 where kind = 'switch'`),
    'row_changed',
    'switch bank/pay',
  ],
  [
    'another tool switched off',
    (intruder) =>
      insertLike(intruder, 'records', "kind = 'switch'", (row) => ({ ...row, id: 'bank' })),
    'row_unknown',
    'switch bank',
  ],
  [
    'a token put in',
    (intruder) =>
      insertLike(intruder, 'records', "kind = 'token'", (row) => ({ ...row, id: 'cd34' })),
    'row_unknown',
    'token cd34',
  ],
  [
    'votes removed',
    ({ run }) => run('delete from votes'),
    'row_missing',
    'vote of ana on approval',
  ],
  [
    'a yes turned into a no',
    ({ run }) => run("update votes set verdict = 'deny'"),
    'row_changed',
    'vote of ana on approval',
  ],
  [
    'a yes of another person put in',
    (intruder) =>
      insertLike(intruder, 'votes', 'at > 0', (row) => ({ ...row, subject: 'mallory' })),
    'row_unknown',
    'vote of mallory on approval',
  ],
  [
    'a vote on an approval that there never was',
    (intruder) => insertLike(intruder, 'votes', 'at > 0', (row) => ({ ...row, approval: 'none' })),
    'row_unknown',
    'vote on approval none',
  ],
  ['claims removed', ({ run }) => run('delete from claims'), 'row_missing', 'claim of approval'],
  [
    'a claim of another process',
    ({ run }) => run("update claims set claim = 'mine'"),
    'row_changed',
    'claim of approval',
  ],
  [
    'a claim of an approval that waits',
    async (intruder) => {
      const [waiting] = await intruder.rows("select id from approvals where run = 'run-1'")
      await insertLike(intruder, 'claims', 'at > 0', (row) => {
        return { ...row, approval: String(waiting?.id) }
      })
    },
    'row_unknown',
    'claim of approval',
  ],
  [
    'uses of a grant removed',
    ({ run }) => run('delete from grant_uses'),
    'row_missing',
    'use of a grant by approval',
  ],
  [
    'a use of a grant that cost less',
    ({ run }) => run('update grant_uses set amount = 1'),
    'row_changed',
    'grant ',
  ],
  [
    'a use of a grant by a call that never used it',
    async (intruder) => {
      const [waiting] = await intruder.rows("select id from approvals where run = 'run-1'")
      await insertLike(intruder, 'grant_uses', 'n = 1', (row) => {
        return { ...row, n: 2, approval: String(waiting?.id) }
      })
    },
    'row_unknown',
    'use of a grant by approval',
  ],
  [
    'a person with another role',
    ({ run }) =>
      run(`update records set value = replace(value, 'viewer', 'admin') where kind = 'person'`),
    'row_changed',
    'person vera',
  ],
  [
    'a person put in',
    (intruder) =>
      insertLike(intruder, 'records', "kind = 'person'", (row) => ({ ...row, id: 'mallory' })),
    'row_unknown',
    'person mallory',
  ],
  [
    'a passkey replaced',
    ({ run }) => run(`update records set value = '{"publicKey":"mine"}' where kind = 'passkey'`),
    'row_changed',
    'passkey vera.1',
  ],
]
