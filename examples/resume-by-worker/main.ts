/** A call approved at night runs although its agent is gone: check() in the agent, runApproved() in a worker. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openGate } from './shared.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-worker-'))
const database = path.join(folder, 'countersign.db')
const mails = path.join(folder, 'mails.txt')
const { gate, store } = openGate(database)

// The agent asks, and is gone. No process is left that waits.
for (const to of ['ana', 'slow', 'omar']) await once(start('agent.ts', to), 'close')

// A worker that is killed before the answer leaves nothing behind.
await kill(start('worker.ts', mails))

// A person approves one of the calls, while no worker runs. The next one finds the yes and uses it.
await approve('ana')
const worker = start('worker.ts', mails)
await until(() => sent().includes('ana'))

// It is killed in the middle of the next call. How that ended is not known, so nothing starts it again.
await approve('slow')
await until(() => sent().includes('slow'))
await kill(worker)
await approve('omar')
const another = start('worker.ts', mails)
await until(() => sent().includes('omar'))
await kill(another)
assert.deepEqual(sent(), ['ana', 'slow', 'omar'])

await gate.close()
await store.close()
rmSync(folder, { recursive: true, force: true })
console.log('Three calls ran in workers, each once, after their agent was gone.')

function start(program: string, argument: string): ChildProcess {
  const file = path.join(import.meta.dirname, program)
  const args = ['--conditions=countersign-source', file, database, argument]
  return spawn(process.execPath, args, { stdio: 'inherit' })
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'close')
  child.kill('SIGKILL')
  await gone
}

function sent(): string[] {
  return existsSync(mails) ? readFileSync(mails, 'utf8').trim().split('\n') : []
}

/** In the inbox, or as here from code that has authenticated the person. */
async function approve(to: string): Promise<void> {
  const { approvals } = await gate.approvals.list({ status: ['pending'] })
  const asked = approvals.find(({ call }) => call.key === to)
  assert.ok(asked)
  await gate.approvals.decide(asked.id, {
    by: {
      issuer: 'https://id.example.com',
      subject: 'kim',
      email: 'kim@example.com',
      emailVerified: true,
      groups: [],
      roles: ['approver'],
      assurance: 'signed-in',
    },
    verdict: 'approve',
    seen: asked.digest,
  })
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 50))
}
