import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { answer, connect, type Place, place, textOf } from './gateway.ts'

const PAY = { name: 'pay', arguments: { to: 'Lena', amount: 5 } }
const policy = (bank: string, more = '') =>
  `version: 1\nmcp_servers:\n  - { alias: bank, ${bank} }\n${more}`

async function paid(at: Place): Promise<string> {
  const { client } = await connect(at, { args: ['--hold', '0', '--name', 'bank'] })
  const said = textOf(await client.callTool(PAY))
  await client.close()
  return said
}

promise.each(
  ['CS-MCP-45'],
  'a yes is of no use where the policy became stricter between two processes',
  [
    [
      'nothing runs there',
      policy('approval: true', 'governance: [{ id: no, match: { tool: pay }, deny: Never }]\n'),
    ],
    ['the tool is not allowed', policy('approval: true, allowed_tools: [look]')],
    ['another person is asked', policy('approval: { approvers: [boss@example.com] }')],
    [
      'two people are asked',
      policy(
        'approval: { quorum: [{ group: finance, n: 2 }] }',
        'people: { groups: { finance: [fay@example.com, finn@example.com] } }\n',
      ),
    ],
  ],
  async (_, stricter) => {
    const at = place(policy('approval: true'))
    expect(await paid(at)).toContain('waits for a person')
    await answer(at, 'approve')
    writeFileSync(path.join(at.cwd, 'countersign.yaml'), stricter)
    const said = await paid(at)
    expect(said).toMatch(/(?:is not allowed by policy|lost its approval) and did not run/)
    expect(at.witnessed()).toEqual([])
  },
)

promise(['CS-MCP-45'], 'a yes outlives a policy that changed elsewhere', async () => {
  const at = place(policy('approval: true'))
  expect(await paid(at)).toContain('waits for a person')
  await answer(at, 'approve')
  const more = 'tools: { unrelated: { approval: true } }\n'
  writeFileSync(path.join(at.cwd, 'countersign.yaml'), policy('approval: true', more))
  expect(await paid(at)).toBe('paid 5 to Lena')
  expect(at.witnessed()).toEqual(['pay 5 Lena'])
})
