import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createCountersign } from '../src/app/create-countersign.ts'
import * as nodeEntry from '../src/app/node.ts'
import { EVENT_TYPES, NOTICE_KINDS } from '../src/approval/transition.ts'
import { remoteGate } from '../src/client/remote-gate.ts'
import { createGate } from '../src/gate/gate.ts'
import { definePolicy } from '../src/policy/load/define-policy.ts'
import { memoryStore } from '../src/store/memory/index.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(root, `docs/reference/${name}.md`), 'utf8')
const page = read('gate')
const serverPage = read('server')

/** The members of an interface, as its source has them. */
function membersOf(file: string, name: string): string[] {
  const text = readFileSync(path.join(root, 'src', file), 'utf8')
  const body = text.split(new RegExp(`export interface ${name}\\b[^{]*\\{\\n`))[1]?.split('\n}')[0]
  return [...(body ?? '').matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, member = '']) => member)
}

/** What stands in the first column of the table under a heading. */
function firstColumn(heading: string, text = page): string[] {
  const section = text.split(`\n${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| `'))
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)/g)].map(([, word = '']) => word),
  )
}

test('every option of a gate is in the reference, and nothing else', () => {
  const options = [
    ...membersOf('gate/options.ts', 'GateOptions'),
    ...membersOf('gate/pipeline/waiting.ts', 'AnnounceOptions'),
    ...membersOf('gate/gate.ts', 'GateIdentity'),
  ]
  expect(options.length).toBeGreaterThan(15)
  expect(firstColumn('## `createGate(options)`').sort()).toEqual([...new Set(options)].sort())
})

test('every method of a gate is in the reference, and nothing else', async () => {
  const store = memoryStore()
  const gate = createGate({ policy: definePolicy({}), store })
  expect(firstColumn('## Methods').sort()).toEqual(Object.keys(gate).sort())
  for (const part of Object.keys(gate.admin)) expect(page).toContain(`\`${part}\``)
  await store.close()
})

test('every event is in the reference, and nothing else', () => {
  const events = membersOf('gate/listeners.ts', 'GateEvents')
  expect(events.length).toBeGreaterThan(5)
  expect(firstColumn('## Events').sort()).toEqual(events.sort())
})

test('every event of an approval, notice and hint has its row, and nothing else has', () => {
  const events = readFileSync(path.join(root, 'docs/reference/events.md'), 'utf8')
  const column = (heading: string) => firstColumn(heading, events).sort()
  expect(column('## Events of an approval')).toEqual([...EVENT_TYPES].sort())
  expect(column('## Notices')).toEqual([...NOTICE_KINDS].sort())
  const hub = readFileSync(path.join(root, 'src/server/event-hub.ts'), 'utf8')
  const sent = [...hub.matchAll(/event: (\w+)/g)].map(([, name]) => name)
  expect(column('## The stream of hints')).toEqual([...new Set(sent)].sort())
})

test('every status of an outcome is in the reference, and nothing else', () => {
  const source = readFileSync(path.join(root, 'src/gate/outcome.ts'), 'utf8')
  const statuses = [...source.matchAll(/readonly status: '(\w+)'/g)].map(([, status]) => status)
  expect(statuses).toHaveLength(5)
  expect(firstColumn('## Outcome').sort()).toEqual(statuses.sort())
})

test('the reference names every member of a gate over HTTP', () => {
  const gate = remoteGate({ url: 'http://127.0.0.1:9', token: 'cs_none_x' })
  const section = page.split('\n## Over HTTP\n')[1] ?? ''
  for (const member of Object.keys(gate)) expect(section).toContain(`\`${member}\``)
})

test('every option of a server is in the reference, and nothing else', () => {
  const options = membersOf('app/countersign-options.ts', 'CountersignServerOptions')
  expect(options.length).toBeGreaterThan(15)
  const said = firstColumn('## `createCountersign(options)`', serverPage)
  expect(said.sort()).toEqual(options.sort())
})

test('every member of a server is in the reference, and nothing else', async () => {
  const store = memoryStore()
  const countersign = createCountersign({ policy: definePolicy({}), store })
  expect(firstColumn('## Members', serverPage).sort()).toEqual(Object.keys(countersign).sort())
  const entry = firstColumn('## `countersign/server/node`', serverPage)
  expect(entry.sort()).toEqual(Object.keys(nodeEntry).sort())
  await store.close()
})
