import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { CASE_POLICY } from '../../src/testing/adapter-harness.ts'
import { kim } from '../../src/testing/adapter-play.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { HARNESSES } from './harnesses.ts'

const PROGRAM = await program(path.join(import.meta.dirname, 'waiting-process.ts'))
// VoltAgent is installed beside its harness, where a program in a few files does not find it.
const PAUSING = HARNESSES.filter(
  ({ supports, name }) => supports.elsewhere && !name.startsWith('VoltAgent'),
)

promise.each(
  ['CS-SDK-2', 'AR-29', 'AT-33'],
  'killed while it waits, resumed by another process, run once',
  PAUSING.map(({ name }): [string] => [name]),
  async (name) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-killed-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const database = path.join(folder, 'gate.db')
    const state = path.join(folder, 'state.json')
    const first = spawn(process.execPath, [PROGRAM, 'start', name, database, state])
    await once(first.stdout, 'data')
    first.kill('SIGKILL')
    await once(first, 'close')

    const store = await openSqlite(database)
    onTestFinished(() => store.close())
    const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: CASE_POLICY } })
    const { approvals } = createGate({ policy, store })
    const [asked] = (await approvals.list({ status: ['pending'] })).approvals
    const { id = '', digest = '' } = asked ?? {}
    await approvals.decide(id, { by: kim, verdict: 'approve', seen: digest })

    const resume = async () => {
      const args = [PROGRAM, 'resume', name, database, state]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      return JSON.parse(stdout) as { ran: unknown[]; told: { text: string }[] }
    }
    const second = await resume()
    expect(second.ran).toEqual([{ amount: 5 }])
    // And a third one, from the same state, finds that it has been done.
    const third = await resume()
    expect(third.ran).toEqual([])
    expect(third.told).toEqual(second.told)
  },
  // Three processes one after another, each of which loads an SDK.
  90_000,
)
