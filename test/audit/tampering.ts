import {
  breakInto,
  canonical,
  entriesIn,
  type Intruder,
  quoted,
  type Recorded,
  rewrite,
  sha256,
  type Written,
} from './record.ts'

export interface Scene extends Intruder {
  readonly entries: readonly Written[]
  /** The chains, in the order in which they began. */
  readonly one: string
  readonly two: string
}

/** An entry added at the end of a chain, with everything right that needs no key. */
export async function append(scene: Scene, change: (body: Record<string, unknown>) => object) {
  const last = scene.entries.findLast(({ writer }) => writer === scene.two) as Written
  const like = JSON.parse(last.body)
  const seq = last.seq + 1
  const body = canonical(change({ ...like, seq, prev: last.hash }))
  const { event } = JSON.parse(body)
  await scene.run(
    `insert into events (position, tenant, writer, seq, prev, hash, approval, revision, type, at,
       command, command_index, body)
     values (${last.position + 100}, ${quoted(event.tenant)}, ${quoted(scene.two)}, ${seq},
       '${last.hash}', '${sha256(body)}', ${quoted(event.approval)}, ${event.revision},
       ${quoted(event.type)}, ${event.at}, ${quoted(event.command)}, ${event.index}, ${quoted(body)})`,
  )
}

/** As somebody with the database does it: body, columns and seal fit each other. */
export async function rewriteRow(
  scene: Scene,
  change: (approval: Record<string, unknown>) => object,
) {
  const [row] = await scene.rows('select id, body from approvals order by id limit 1')
  const body = JSON.stringify(change(JSON.parse(String(row?.body))))
  const { status, execution } = JSON.parse(body)
  const state = execution === undefined ? 'null' : quoted(execution.state)
  await scene.run(`update approvals set body = ${quoted(body)}, seal = '${sha256(body)}',
    status = ${quoted(status)}, execution = ${state} where id = ${quoted(String(row?.id))}`)
}

export const TAMPERING: readonly [string, (scene: Scene) => Promise<unknown>, string][] = [
  [
    'a word of an entry',
    ({ run, one }) =>
      run(`update events set body = replace(body, 'biller', 'killer') where writer = '${one}'`),
    'hash',
  ],
  [
    'an entry, with a hash that fits',
    async ({ run, entries, one }) => {
      const entry = entries.find(({ writer, seq }) => writer === one && seq === 3) as Written
      const body = entry.body.replace('"approve', '"deny')
      const changed = body === entry.body ? body.replace('"at":1', '"at":2') : body
      const columns = `body = ${quoted(changed)}, hash = '${sha256(changed)}', at = ${JSON.parse(changed).event.at}`
      await run(`update events set ${columns} where position = ${entry.position}`)
    },
    'chain',
  ],
  [
    'who an entry is about',
    ({ run, one }) => run(`update events set approval = 'x' where writer = '${one}' and seq = 3`),
    'columns',
  ],
  [
    'when it was',
    ({ run, two }) => run(`update events set at = at + 1 where writer = '${two}' and seq = 2`),
    'columns',
  ],
  [
    'the last entry is removed',
    ({ run, two }) =>
      run(`delete from events where writer = '${two}' and seq = (
        select max(seq) from events where writer = '${two}')`),
    'cut_short',
  ],
  [
    'an entry in the middle is removed',
    ({ run, one }) => run(`delete from events where writer = '${one}' and seq = 4`),
    'missing',
  ],
  [
    'the first entry is removed',
    ({ run, one }) => run(`delete from events where writer = '${one}' and seq = 1`),
    'first_missing',
  ],
  [
    'a whole chain is removed',
    ({ run, one }) => run(`delete from events where writer = '${one}'`),
    'link',
  ],
  ['everything is removed', ({ run }) => run('delete from events'), 'cut_short'],
  [
    'two entries change places',
    async ({ run, entries, one }) => {
      const [a, b] = entries.filter(({ writer, seq }) => writer === one && [3, 4].includes(seq))
      await run(`update events set position = 1000000 where position = ${a?.position}`)
      await run(`update events set position = ${a?.position} where position = ${b?.position}`)
      await run(`update events set position = ${b?.position} where position = 1000000`)
    },
    'missing',
  ],
  [
    'an entry is put in, and the others moved up',
    async ({ run, entries, one }) => {
      const mine = entries.filter(({ writer, seq }) => writer === one && seq >= 4)
      for (const { position, seq } of mine.toReversed()) {
        await run(`update events set seq = ${seq + 1} where position = ${position}`)
      }
    },
    'columns',
  ],
  [
    'two chains are swapped',
    async ({ run, one, two }) => {
      await run(`update events set writer = 'x' where writer = '${one}'`)
      await run(`update events set writer = '${one}' where writer = '${two}'`)
      await run(`update events set writer = '${two}' where writer = 'x'`)
    },
    'columns',
  ],
  [
    'a chain is written anew, with hashes that fit',
    (scene) =>
      rewrite(scene, scene.two, (body) => ({
        ...body,
        event: JSON.parse(JSON.stringify(body.event).replaceAll('"ana"', '"eve"')),
      })),
    'contradicts_checkpoint',
  ],
  [
    'a linked chain is written anew, and no checkpoint is left',
    async (scene) => {
      await scene.run('delete from checkpoints')
      await rewrite(scene, scene.one, (body) => ({
        ...body,
        event: JSON.parse(JSON.stringify(body.event).replaceAll('"ana"', '"eve"')),
      }))
    },
    'link',
  ],
  [
    'a command is recorded twice',
    async (scene) => {
      await scene.run('drop index events_by_approval')
      await append(scene, (body) => body)
    },
    'repeated_command',
  ],
  [
    'a checkpoint is changed',
    async ({ run, rows }) => {
      const [row] = await rows('select jws from checkpoints where n = 2')
      const [header, payload, signature] = String(row?.jws).split('.')
      const claims = JSON.parse(Buffer.from(String(payload), 'base64url').toString())
      const forged = Buffer.from(JSON.stringify({ ...claims, heads: [] })).toString('base64url')
      await run(`update checkpoints set jws = '${header}.${forged}.${signature}' where n = 2`)
    },
    'checkpoint',
  ],
  [
    'an older checkpoint stands in for a newer one',
    ({ run }) =>
      run(`update checkpoints set jws = (select jws from checkpoints where n = 1) where n = 2`),
    'checkpoint',
  ],
  [
    'a checkpoint is removed',
    ({ run }) => run('delete from checkpoints where n = 1'),
    'checkpoint_order',
  ],
  ['the keys are removed', ({ run }) => run('delete from keys'), 'checkpoint_key'],
  [
    'what somebody asked for',
    ({ run }) => run(`update content set value = replace(value, '50', '51')`),
    'content',
  ],
  ['a salt', ({ run }) => run(`update content set salt = 'aa'`), 'content'],
  ['a result', ({ run }) => run(`update results set value = '"paid"'`), 'content'],
  [
    'content is put under another approval',
    ({ run, rows }) =>
      rows('select min(approval) as a, max(approval) as b from content').then(([row]) =>
        run(`update content set value = '"{}"' where approval = '${row?.a}'`),
      ),
    'content',
  ],
  [
    'an approval, to be used again, with a seal that fits',
    (scene) => rewriteRow(scene, ({ execution: _, ...rest }) => rest),
    'row_changed',
  ],
  [
    'the arguments that an approval is for',
    (scene) => rewriteRow(scene, (approval) => ({ ...approval, digest: '0'.repeat(64) })),
    'row_changed',
  ],
  [
    'an approval, put back to how it was once',
    async (scene) => {
      const [row] = await scene.rows('select body from approvals order by id limit 1')
      const { id } = JSON.parse(String(row?.body))
      await rewriteRow(scene, (approval) => ({ ...approval, revision: 1, id }))
    },
    'row_changed',
  ],
  [
    'a column beside its text',
    ({ run }) => run("update approvals set status = 'pending', execution = null"),
    'row_changed',
  ],
  [
    'a seal alone',
    ({ run }) => run(`update approvals set seal = '${'0'.repeat(64)}'`),
    'row_changed',
  ],
  [
    'an approval removed',
    ({ run }) => run('delete from approvals where id = (select min(id) from approvals)'),
    'row_missing',
  ],
  [
    'an approval that nobody asked for',
    async ({ rows, run }) => {
      const [row] = await rows('select * from approvals order by id limit 1')
      const { id, body, position: _, ...rest } = row as Record<string, string | number | null>
      const made = String(body).replaceAll(String(id), `${String(id).slice(0, -1)}z`)
      const other: Record<string, string | number | null> = {
        ...rest,
        position: 9_999,
        id: `${String(id).slice(0, -1)}z`,
        call_key: 'another',
        body: made,
        seal: sha256(made),
      }
      const names = Object.keys(other)
      const values = names.map((name) => {
        const value = other[name] ?? null
        return typeof value === 'string' ? quoted(value) : String(value)
      })
      await run(`insert into approvals (${names.join(', ')}) values (${values.join(', ')})`)
    },
    'row_unknown',
  ],
]

/** Does it to the database, as an intruder with every right in it. */
export async function tamper(
  of: Recorded,
  work: (scene: Scene) => Promise<unknown>,
): Promise<void> {
  await breakInto(of, async (intruder) => {
    const entries = await entriesIn(intruder)
    const [one = '', two = ''] = new Set(entries.map(({ writer }) => writer))
    await work({ ...intruder, entries, one, two })
  })
}

export function kindOf(line: string): string {
  return JSON.parse(line).kind
}

/** What can happen to a file, and what it is called. */
export const DAMAGE: readonly [string, (lines: string[]) => string[], string][] = [
  ['the last line is missing', (lines) => lines.slice(0, -1), 'cut_off'],
  ['the end is missing', (lines) => lines.slice(0, -4), 'cut_off'],
  ['half a line', (lines) => [...lines.slice(0, -1), '{"kind":"end","ent'], 'unreadable'],
  ['the first line is missing', (lines) => lines.slice(1), 'unreadable'],
  ['nothing', () => [], 'cut_off'],
  ['two exports in one file', (lines) => [...lines, ...lines], 'unreadable'],
  [
    'an entry twice',
    (lines) => lines.flatMap((l) => (l.includes('"seq":3,') ? [l, l] : [l])),
    'repeated',
  ],
  [
    'no checkpoints',
    (lines) => lines.filter((l) => kindOf(l) !== 'checkpoint'),
    'checkpoint_missing',
  ],
  [
    'a member twice',
    (lines) => lines.map((l) => l.replace('"seq":3,', '"seq":9,"seq":3,')),
    'unreadable',
  ],
]
