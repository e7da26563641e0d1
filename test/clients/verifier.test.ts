import { createHmac } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { canonicalJson } from '../../src/base/json/canonical.ts'
import type { Json } from '../../src/base/json/json.ts'
import type { VerifyAuditOptions } from '../../src/gate/audit/audit-verify.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { claiming, finishing } from '../../src/testing/commands.ts'
import { approved } from '../../src/testing/store-cases/expect.ts'
import {
  exported,
  recorded,
  sha256,
  temporaryFolder,
  verifyDatabase,
  verifyLines,
} from '../audit/record.ts'
import { DAMAGE, kindOf, TAMPERING, tamper } from '../audit/tampering.ts'
import { countersign } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { CALL, countersigned, signedBy, VARIANTS } from './countersigned.ts'
import { python, skipsWithoutPython } from './python.ts'

skipsWithoutPython()

type Case = { readonly name: string; readonly lines: readonly string[] } & VerifyAuditOptions

interface Reported {
  readonly ok: boolean
  readonly problem: { readonly code: string } | null
  readonly [count: string]: unknown
}

/** What the verifier in Python says of each. */
async function inPython(cases: readonly Case[]): Promise<readonly Reported[]> {
  const records = cases.map(({ lines, keys, checkpoints }) => ({ lines, keys, checkpoints }))
  const { stdout, stderr } = await python(['-m', 'tests.agree'], JSON.stringify({ records }))
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { records: Reported[] }).records
}

/** Each case by name, with what each of the two says of it. */
async function compared(cases: readonly Case[], what: 'code' | 'verdict') {
  const theirs = await inPython(cases)
  const said = await Promise.all(
    cases.map(async ({ name, lines, ...options }, index) => {
      const ours = await verifyLines(lines, options)
      const their = theirs[index]
      const word = (ok: boolean, code: string | undefined) =>
        ok ? 'intact' : what === 'code' ? code : 'refused'
      return [
        [name, word(ours.ok, ours.problem?.code)],
        [name, word(their?.ok === true, their?.problem?.code)],
      ] as const
    }),
  )
  return { ours: said.map(([our]) => our), theirs: said.map(([, their]) => their) }
}

const NONE = '0'.repeat(64)

const without = (lines: readonly string[], at: number) => lines.toSpliced(at, 1)
const swapped = (lines: readonly string[], at: number) =>
  lines.toSpliced(at - 1, 2, lines[at] ?? '', lines[at - 1] ?? '')

promise(['CS-AUDIT-8'], 'both verifiers find the same in an intact record', async () => {
  const of = await recorded('sqlite')
  const keys = [of.signer.key]
  const lines = await exported(of, { content: true })
  const cases = [
    { name: 'whole', lines },
    { name: 'with keys and checkpoints', lines, keys, checkpoints: of.checkpoints },
    { name: 'without content', lines: await exported(of), keys },
  ]
  const reports = await inPython(cases)
  for (const [index, { name, lines: of, ...options }] of cases.entries()) {
    const { content, ...ours } = await verifyLines(of, options)
    expect(reports[index], name).toMatchObject({
      ok: true,
      entries: ours.entries,
      writers: ours.writers,
      checkpoints: 2,
      uncovered: 0,
      signed_by: ours.signedBy,
      content_checked: content.checked,
      content_absent: content.absent,
      partial: false,
    })
  }
})

promise(['CS-AUDIT-8'], 'both verifiers call every tampering by the same name', async () => {
  const of = await recorded('sqlite')
  const keys = [of.signer.key]
  const lines = await exported(of, { content: true })
  const bare = await exported(of)
  const cases: Case[] = DAMAGE.map(([name, damage]) => ({
    ...{ name, lines: damage([...bare]), keys },
    checkpoints: of.checkpoints.slice(1),
  }))
  for (const [name, work] of TAMPERING) {
    const own = await recorded('sqlite')
    await tamper(own, work)
    cases.push({ name, lines: await exported(own, { content: true }) })
  }
  const at = JSON.parse(lines.at(-7) ?? '').body.event.at
  const parts = { whole: lines, since: await exported(of, { since: at }) }
  for (const [part, all] of Object.entries(parts)) {
    for (const [index, line] of all.entries()) {
      const name = `${part}, line ${index + 1} (${kindOf(line)})`
      cases.push({ name: `${name} removed`, lines: without(all, index) })
      cases.push({ name: `${name} twice`, lines: all.toSpliced(index, 0, line) })
      if (index > 0) cases.push({ name: `${name} moved up`, lines: swapped(all, index) })
    }
  }
  for (const checkpoints of [['nonsense'], [of.checkpoints[0]?.replace(/.$/, 'A') ?? '']]) {
    cases.push({ name: `kept: ${checkpoints}`, lines, checkpoints })
  }
  cases.push({ name: 'other keys', lines, keys: [] })
  const { ours, theirs } = await compared(cases, 'code')
  expect(theirs).toEqual(ours)
  expect(new Set(ours.map(([, word]) => word)).size).toBeGreaterThan(14)
})

/** The same entries as a chain that goes on from another one, each hash right. */
function rechained(entries: readonly string[], from: string): string[] {
  let prev = from
  return entries.map((line) => {
    const body = { ...JSON.parse(line).body, prev }
    prev = sha256(canonicalJson(body))
    return JSON.stringify({ kind: 'entry', hash: prev, body })
  })
}

/** With an end that counts what is there. */
const ended = (lines: readonly string[]) => {
  const entries = lines.filter((line) => kindOf(line) === 'entry').length
  return [...lines, JSON.stringify({ kind: 'end', entries })]
}

promise(['CS-AUDIT-8'], 'both verifiers see through what was made to fit', async () => {
  const of = await recorded('sqlite')
  const lines = await exported(of)
  const ofKind = (kind: string) => lines.filter((line) => kindOf(line) === kind)
  const [keys, checkpoints, entries] = [ofKind('key'), ofKind('checkpoint'), ofKind('entry')]
  const whole = lines[0] ?? ''
  const since = JSON.stringify({ ...JSON.parse(whole), since: 1 })
  const payload = Buffer.from(of.checkpoints[0]?.split('.')[1] ?? '', 'base64url').toString()
  const [{ writer, seq }] = JSON.parse(payload).heads
  const own = entries.filter((line) => JSON.parse(line).body.writer === writer)
  const { prev } = JSON.parse(own[seq] ?? '').body
  const first = [since, ...keys, ...checkpoints.slice(0, 1)]
  const made = (...events: object[]) =>
    events.map((event, index) => {
      const of = { v: 'countersign.event.v1', writer: 'w9', seq: index + 1, prev }
      return JSON.stringify({ kind: 'entry', hash: '', body: { ...of, event } })
    })
  const added = (...events: object[]) =>
    ended([whole, ...keys, ...checkpoints, ...entries, ...rechained(made(...events), NONE)])
  const about = { type: 'x', approval: {}, command: 'c', index: 0 }
  const cases: readonly (Case & { readonly code: string })[] = [
    {
      name: 'a checkpoint behind its entries, and their end cut off',
      lines: ended([whole, ...keys, ...entries.slice(0, 3), ...checkpoints]),
      code: 'unreadable',
    },
    {
      name: 'a part, its end cut off',
      lines: ended([since, ...keys, ...checkpoints, ...own.slice(seq, seq + 1)]),
      code: 'cut_short',
    },
    { name: 'a part', lines: ended([...first, ...own.slice(seq)]), code: 'intact' },
    {
      name: 'a part that follows something else than was signed',
      lines: ended([...first, ...rechained(own.slice(seq), 'f'.repeat(64))]),
      code: 'contradicts_checkpoint',
    },
    {
      name: 'a part that follows what was signed',
      lines: ended([...first, ...rechained(own.slice(seq), prev)]),
      code: 'intact',
    },
    { name: 'links that are no list', lines: added({ type: 'x', links: 5 }), code: 'unreadable' },
    { name: 'a name that is no text', lines: added(about), code: 'intact' },
    { name: 'the same twice', lines: added(about, about), code: 'repeated_command' },
    {
      name: 'true is not one',
      lines: added({ ...about, index: 1 }, { ...about, index: true }),
      code: 'intact',
    },
  ]
  const expected = cases.map(({ name, code }) => [name, code])
  const { ours, theirs } = await compared(cases, 'code')
  expect(ours).toEqual(expected)
  expect(theirs).toEqual(expected)
})

promise(['CS-AUDIT-8'], 'both verifiers take content as deep as it is kept', async () => {
  const of = await recorded('sqlite')
  const store = await openSqlite(of.file)
  const approval = await approved(store)
  const claimed = await store.apply(approval.id, claiming(approval))
  const deep = Array.from({ length: 64 }).reduce<Json>((inner) => [inner], '\u0001')
  await store.apply(approval.id, finishing(claimed.approval, deep))
  expect(await store.content(approval.id, ['result'])).toMatchObject([{ value: deep }])
  await store.close()
  expect(await verifyDatabase(of)).toMatchObject({ ok: true })
  const cases = [{ name: 'deep', lines: await exported(of, { content: true }) }]
  const { ours, theirs } = await compared(cases, 'code')
  expect(ours).toEqual([['deep', 'intact']])
  expect(theirs).toEqual(ours)
})

promise(['CS-AUDIT-8'], 'both verifiers find changed bits', async () => {
  const of = await recorded('sqlite')
  const lines = await exported(of, { content: true })
  const cases: Case[] = []
  for (const part of ['"kind":"key"', '"chain.started"', '"requested"', '"n":2,', '"kind":"end"']) {
    const index = lines.findIndex((line) => line.includes(part))
    const line = lines[index] ?? ''
    for (let at = 0; at < line.length; at += 9) {
      const code = line.charCodeAt(at) ^ (1 << (at % 7))
      const changed = line.slice(0, at) + String.fromCharCode(code) + line.slice(at + 1)
      const keys = at % 2 ? { keys: [of.signer.key] } : {}
      cases.push({ name: `${part} at ${at}`, lines: lines.with(index, changed), ...keys })
    }
  }
  expect(cases.length).toBeGreaterThan(200)
  const { ours, theirs } = await compared(cases, 'verdict')
  expect(theirs).toEqual(ours)
})

promise(['CS-AUDIT-8'], 'both commands take the same files and exit alike', async () => {
  const of = await recorded('sqlite')
  const folder = temporaryFolder()
  const at = (name: string) => path.join(folder, name)
  const lines = await exported(of, { content: true })
  writeFileSync(at('audit.jsonl'), `${lines.join('\n')}\n`)
  writeFileSync(at('bad.jsonl'), `${lines.join('\n').replace('biller', 'killer')}\n`)
  writeFileSync(at('jwks.json'), JSON.stringify({ keys: [of.signer.key] }))
  writeFileSync(at('other.json'), JSON.stringify({ keys: (await countersigned()).keys }))
  writeFileSync(at('none.json'), JSON.stringify({ keys: [] }))
  const runs: readonly (readonly [string[], number])[] = [
    [['audit.jsonl'], 0],
    [['audit.jsonl', '--keys', 'jwks.json', '--checkpoint', 'audit.jsonl'], 0],
    [['audit.jsonl', '--keys', 'other.json'], 1],
    [['bad.jsonl'], 1],
    [['nowhere.jsonl'], 2],
    [['audit.jsonl', '--keys', 'none.json'], 2],
    [['audit.jsonl', '--keys', 'bad.jsonl'], 2],
  ]
  const compare = async ([args, exit]: readonly [string[], number]) => {
    const paths = args.map((word) => (word.includes('.json') ? at(word) : word))
    const [ours, theirs] = await Promise.all([
      countersign(['audit', 'verify', ...paths, '--json'], { cwd: folder }),
      python(['-m', 'countersign.verify', ...paths, '--json']),
    ])
    expect([args, ours.code, theirs.code]).toEqual([args, exit, exit])
    if (exit === 2) return
    const [our, their] = [JSON.parse(ours.stdout), JSON.parse(theirs.stdout)]
    expect(their.problem?.code).toBe(our.problem?.code)
  }
  await Promise.all(runs.map(compare))
  const said = await python(['-m', 'countersign.verify', at('audit.jsonl')])
  expect(said.stdout).toMatch(
    /^The record is intact: \d+ entries, 0 of them newer than the last of 2/,
  )
  expect(readFileSync(at('audit.jsonl'), 'utf8')).toBe(`${lines.join('\n')}\n`)
})

promise(['CS-AUDIT-8', 'CS-PROOF-4'], 'both take the same countersignatures', async () => {
  const of = await countersigned()
  const changed = await Promise.all(
    VARIANTS.map(async ([name, vary]) => ({ name, ...(await vary(of)) })),
  )
  const cases = [{ name: 'as it is', token: of.token }, ...changed]
  const token = of.token
  for (let at = 0; at < token.length; at += 7) {
    const flipped = String.fromCharCode(token.charCodeAt(at) ^ 1)
    const one = token.slice(0, at) + flipped + token.slice(at + 1)
    cases.push({ name: `character ${at}`, token: one })
  }
  const hmac = signedBy(token, of.keys, (text, key) => createHmac('sha256', key).update(text))
  cases.push({ name: 'HS256 with the public key', token: hmac })
  const given = cases.map(({ name: _, ...rest }) => ({
    ...{ keys: of.keys, audience: of.audience, now: of.now, call: CALL },
    ...rest,
  }))
  const ours = await Promise.all(given.map((one) => of.verify(one)))
  const proofs = given.map(({ call, now, ...one }) => ({ ...one, ...call, now: now / 1_000 }))
  const { stdout, stderr } = await python(['-m', 'tests.agree'], JSON.stringify({ proofs }))
  expect(stderr).toBe('')
  const theirs = (JSON.parse(stdout) as { proofs: boolean[] }).proofs
  const named = (oks: readonly boolean[]) => oks.map((ok, index) => [cases[index]?.name, ok])
  expect(named(theirs)).toEqual(named(ours))
  expect(ours.filter(Boolean)).toHaveLength(3)
})
