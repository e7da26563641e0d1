import { expect, test } from 'vitest'
import { kim, setUp } from '../gate/gates.ts'

test('B5-12: one line of several does not satisfy the anchored pattern of a grant', async () => {
  const { gate, tool } = await setUp('memory')
  const condition = { args_match: { to: { pattern: '^[a-z]+@ok\\.example$' } } }
  await gate.admin.grants.mint(kim, { tool: 'pay', agent: 'biller', condition })
  const pay = (to: string) => ({ tool: 'pay', args: { to } })
  expect(await gate.run(pay('ana@ok.example'), tool)).toMatchObject({ status: 'succeeded' })
  for (const to of ['eve@evil.example\nana@ok.example', 'ana@ok.example\n', '\nana@ok.example']) {
    expect(await gate.check(pay(to)), JSON.stringify(to)).toMatchObject({ status: 'pending' })
  }
  expect(tool.starts).toHaveLength(1)
})
