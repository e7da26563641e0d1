import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { countersign } from '../cli/countersign.ts'
import { start } from '../cli/started.ts'
import { promise } from '../support/promise.ts'
import { BANK, connect, place, textOf } from './gateway.ts'

const policy = (approval: string, more = '') => `version: 1
people: { groups: { finance: [fay@example.com${more}] } }
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: "\${WITNESS}" }, allowed_tools: [{ name: pay, approval: ${approval} }, { name: look, approval: false }] }
`
const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }
const LOOK = { name: 'bank_look', arguments: { what: 'x' } }
const FINANCE = '{ approvers: [{ group: finance }] }'

/** A server that puts a policy into force, and stops. */
async function inForce(text: string, apply: readonly string[] = []) {
  const at = place(text)
  const env = { WITNESS: path.join(at.cwd, 'witness') }
  const once = async (args: readonly string[]) => {
    const server = await start(at.cwd, [...args], env)
    server.child.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  }
  await once(apply)
  return {
    ...at,
    once,
    write: (now: string) => writeFileSync(path.join(at.cwd, 'countersign.yaml'), now),
  }
}

const declared = { command: [], args: ['--hold', '1'] }

promise.each(
  ['CS-SERVE-1'],
  '`countersign mcp` holds back what a changed file asks less about, until it is applied',
  [
    ['nobody is asked any more', policy('true'), policy('false')],
    ['others are asked', policy(FINANCE), policy('{ approvers: ["*"] }')],
    ['somebody more is in the group', policy(FINANCE), policy(FINANCE, ', eve@example.com')],
    [
      'less assurance is enough',
      policy('{ approvers: ["*"], min_assurance: passkey }'),
      policy('{ approvers: ["*"] }'),
    ],
  ] as [string, string, string][],
  async (_, before, after) => {
    const at = await inForce(before)
    at.write(after)
    const one = await connect(at, declared)
    const told = textOf(await one.client.callTool(PAY))
    expect(told).toContain('did not run')
    expect(told).toContain('countersign start --apply-policy')
    expect(at.witnessed()).toEqual([])
    // Rules that did not change go on.
    expect(textOf(await one.client.callTool(LOOK))).toContain('saw x')
    await expect.poll(one.stderr).toContain('NOT in force')
    await one.client.close()
    await at.once(['--apply-policy'])
    const other = await connect(at, declared)
    expect(textOf(await other.client.callTool(PAY))).not.toContain('--apply-policy')
    expect(other.stderr()).not.toContain('NOT in force')
  },
)

promise(['CS-SERVE-1'], '`countersign mcp` goes by a stricter file at once', async () => {
  const at = await inForce(policy('false'))
  at.write(policy('true'))
  const { client } = await connect(at, declared)
  expect(textOf(await client.callTool(PAY))).toContain('waits for a person')
  expect(at.witnessed()).toEqual([])
})

promise(
  ['CS-SERVE-1', 'CS-SERVE-7'],
  '`countersign mcp` that runs follows a policy that is applied elsewhere',
  async () => {
    const at = place(policy('false'))
    const env = { WITNESS: path.join(at.cwd, 'witness') }
    await start(at.cwd, [], env)
    const { client } = await connect(at, declared)
    expect(textOf(await client.callTool(PAY))).toBe('paid 5 to Lena')
    writeFileSync(path.join(at.cwd, 'countersign.yaml'), policy('true'))
    const apply = (...args: string[]) =>
      countersign(['policy', 'apply', ...args], { cwd: at.cwd, env: { HOME: at.cwd } })
    const { name } = JSON.parse((await apply('--json')).stdout) as { name: string }
    expect((await apply('--name', name)).stdout).toContain('It is in force now.')
    await expect
      .poll(async () => textOf(await client.callTool(PAY)), { timeout: 20_000 })
      .toContain('waits for a person')
  },
)
