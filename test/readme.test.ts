import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createGate } from '../src/gate/gate.ts'
import { parsePolicy } from '../src/policy/load/parse-policy.ts'
import { openSqlite } from '../src/store/sqlite/open-store.ts'
import type { Store } from '../src/store/store.ts'

const root = path.resolve(import.meta.dirname, '..')
const readme = readFileSync(path.join(root, 'README.md'), 'utf8')

function block(language: string): string {
  return readme.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
}

// The page leaves the tool itself to the reader.
const BANK = 'const bank = { transfer: async (args) => console.log(JSON.stringify(args)) }\n'

/** Inside the checkout, where `countersign` is found by its name. */
function newcomersFolder(): string {
  const folder = mkdtempSync(path.join(root, '.dist-readme-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(path.join(folder, 'main.mjs'), BANK + block('ts'))
  writeFileSync(path.join(folder, 'countersign.yaml'), block('yaml'))
  return folder
}

async function firstPending(store: Store) {
  for (;;) {
    const [asked] = (await store.list({ status: ['pending'] })).approvals
    if (asked) return asked
    await sleep(20)
  }
}

test('the program of the README waits for a person and runs once, as printed', async () => {
  const folder = newcomersFolder()
  const program = spawn(process.execPath, ['--conditions=countersign-source', 'main.mjs'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void program.kill('SIGKILL'))
  let printed = ''
  program.stdout.on('data', (chunk) => {
    printed += chunk
  })

  const store = await openSqlite(path.join(folder, 'countersign.db'))
  onTestFinished(() => store.close())
  const asked = await firstPending(store)
  expect(printed).toBe('')

  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: block('yaml') } })
  await createGate({ policy, store }).approvals.decide(asked.id, {
    by: {
      issuer: 'test',
      subject: 'ana',
      email: 'ana@example.com',
      emailVerified: true,
      groups: ['finance'],
      roles: ['approver'],
      assurance: 'signed-in',
    },
    verdict: 'approve',
    seen: asked.digest,
  })
  const [code] = await once(program, 'exit')
  expect(code).toBe(0)
  expect(printed.trim().split('\n')).toEqual(['{"amount":18400,"currency":"USD","to":"Northwind"}'])
})
