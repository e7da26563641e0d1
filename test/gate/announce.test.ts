import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { servedName } from '../../src/store/served-name.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, nextPending, POLICY, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }

async function fileGate() {
  const folder = mkdtempSync(path.join(tmpdir(), 'announce-'))
  const store = await openSqlite(path.join(folder, 'countersign.db'))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const lines: string[] = []
  const gate = createGate({
    policy: policyOf(POLICY),
    store,
    agent: 'bot',
    announce: (line) => lines.push(line),
  })
  return { folder, gate, lines }
}

promise(['CS-WAIT-1'], 'a program that waits says where to decide, once', async () => {
  const { folder, gate, lines } = await fileGate()
  const running = gate.run(pay, () => 'paid')
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000 })
  const file = path.relative('', path.join(folder, 'countersign.db'))
  expect(lines).toEqual([
    `countersign: pay waits for a person. Decide: npx countersign start --db sqlite:${file}`,
  ])
  await approve(gate, await nextPending(gate))
  expect(await running).toMatchObject({ status: 'succeeded' })
  expect(lines).toHaveLength(1)
})

function serverBeside(folder: string, serves: string | undefined): void {
  const server = { url: 'http://127.0.0.1:4747/', pid: process.pid, version: '0', serves }
  writeFileSync(path.join(folder, 'server.json'), JSON.stringify(server))
}

promise.each(
  ['CS-WAIT-1'],
  'the line does not link to a server in the folder that serves',
  [
    [
      'another database',
      (folder: string) => servedName({ kind: 'sqlite', path: path.join(folder, 'another.db') }),
    ],
    [
      'another tenant',
      (folder: string) =>
        servedName({ kind: 'sqlite', path: path.join(folder, 'countersign.db') }, 'another'),
    ],
    ['it does not say what', () => undefined],
  ] as [string, (folder: string) => string | undefined][],
  async (_, serves) => {
    const { folder, gate, lines } = await fileGate()
    serverBeside(folder, serves(folder))
    const running = gate.run(pay, () => 'paid')
    await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000 })
    expect(lines[0]).toContain('Decide: npx countersign start --db sqlite:')
    await approve(gate, await nextPending(gate))
    await running
  },
)

promise(['CS-WAIT-1'], 'where a server runs on the file, the line links to the card', async () => {
  const { folder, gate, lines } = await fileGate()
  serverBeside(folder, servedName({ kind: 'sqlite', path: path.join(folder, 'countersign.db') }))
  const running = gate.run(pay, () => 'paid')
  const { id, digest } = await nextPending(gate)
  await vi.waitFor(() => expect(lines).toHaveLength(1), { timeout: 10_000 })
  expect(lines[0]).toContain(`Decide: http://127.0.0.1:4747/approvals/${id}`)
  await approve(gate, { id, digest } as never)
  await running
})

promise(
  ['CS-WAIT-1'],
  'nothing is printed for calls that do not wait, or when silenced',
  async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => error.mockRestore())
    const { gate, lines } = await fileGate()
    await gate.run({ ...pay, run: 'r', key: 'k' }, () => 'paid', { wait: false })
    const silent = await setUp('memory', { announce: false })
    const waiting = silent.gate.run(pay, silent.tool, { waitFor: 1_500 })
    await waiting
    expect(lines).toEqual([])
    expect(error).not.toHaveBeenCalled()
  },
)
