import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createGate } from '../src/gate/gate.ts'
import { parsePolicy } from '../src/policy/load/parse-policy.ts'
import type { Policy } from '../src/policy/policy.ts'
import { runTests } from '../src/policy/tooling/suite.ts'
import { sqliteStore } from '../src/store/sqlite/index.ts'
import { kim } from '../src/testing/adapter-play.ts'
import { cleanEnv, folder } from './cli/countersign.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const SKILL = 'skills/countersign/SKILL.md'

test('every link of llms.txt and every page the skill names is there', () => {
  const links = [...read('llms.txt').matchAll(/\]\(([^()\s]+)\)/g)].map(([, file = '']) => file)
  const pages = [...read(SKILL).matchAll(/docs\/[\w/-]+\.md/g)].map(([file]) => file)
  expect(links.length).toBeGreaterThan(15)
  expect(pages.length).toBeGreaterThan(4)
  expect([...links, ...pages].filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

function block(language: string): string {
  const [, text = ''] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read(SKILL)) ?? []
  expect(text).not.toBe('')
  return text
}

test('the steps of the skill, taken as they are written, lead to a call that waits and then runs once', async () => {
  const text = block('yaml')
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text } })
  const checks = runTests(policy, policy.owner.tests)
  expect(checks.map(({ passed }) => passed)).toEqual([true, true])
  const cwd = folder({ 'countersign.yaml': text, 'agent.mjs': block('js') })
  mkdirSync(path.join(cwd, 'node_modules'))
  symlinkSync(root, path.join(cwd, 'node_modules/countersign'), 'junction')
  expect(await agent(cwd)).toMatch(/^pending .*transfer_money/)
  await approve(path.join(cwd, 'countersign.db'), policy)
  // The second time it is the stored result: the call ran once.
  expect(await agent(cwd)).toBe('paid 5 to Northwind')
  expect(await agent(cwd)).toBe('paid 5 to Northwind')
})

async function approve(file: string, policy: Policy): Promise<void> {
  const gate = createGate({ policy, store: sqliteStore(file) })
  const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
  const { id = '', digest: seen = '' } = asked ?? {}
  await gate.approvals.decide(id, { by: kim, verdict: 'approve', seen })
  await gate.close()
}

/** The program from the skill, with this checkout as the package. */
async function agent(cwd: string): Promise<string> {
  const args = ['--conditions=countersign-source', 'agent.mjs']
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env: cleanEnv() })
  return stdout.trim()
}
