/**
 * How many of our files one call crosses, from `gate.guard` to its result, when a person is asked:
 * `npm run call-path`. Counted by V8: a file counts when at least one of its functions ran.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { createGate } from '../src/gate/gate.ts'
import { definePolicy } from '../src/policy/load/define-policy.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import { decideNext } from '../src/testing/decide-next.ts'

const src = `${pathToFileURL(path.resolve(import.meta.dirname, '../src')).href}/`
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-path-'))
const policy = definePolicy({ tools: { pay: { approval: true } } })
const store = sqliteStore(path.join(folder, 'countersign.db'))
const gate = createGate({ policy, store, agent: 'bot', run: 'chat', announce: false })
const pay = gate.guard(({ amount }: { amount: number }) => `paid ${amount}`, { name: 'pay' })

const session = new Session()
session.connect()
await session.post('Profiler.enable')

/** The files of src in which something ran while `work` did. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result
    .filter(({ url, functions }) => url.startsWith(src) && functions.some(isRun))
    .map(({ url }) => url.slice(src.length))
    .sort()
}

function isRun({ ranges }: { readonly ranges: readonly { readonly count: number }[] }): boolean {
  return (ranges[0]?.count ?? 0) > 0
}

async function asked(key: string): Promise<void> {
  const paying = pay({ amount: 5 }, { key })
  await decideNext(gate, 'approve')
  await paying
}

// The first one opens the database and fills caches: not what every call does.
await asked('warm-up')
const files = await filesOf(() => asked('measured'))
const isListed = process.argv.includes('--list')
if (isListed) for (const file of files) process.stdout.write(`${file}\n`)
process.stdout.write(`${files.length} files of src, asked, decided and run\n`)
await gate.close()
await store.close()
rmSync(folder, { recursive: true })
