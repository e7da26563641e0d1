import { expect, test, vi } from 'vitest'
import { openCard, realInbox } from './real-inbox.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const inbox = realInbox('version: 1\ntools: { pay: { approval: { approvers: ["*"] } } }\n')

test('B8-11: a large number is shown as it is bound, and with its digits in groups', async () => {
  const args = { amount: 10_000_000, limit: 1e15, rate: 0.000_001, small: 12 }
  const { id } = await inbox.server.ask({ tool: 'pay', args })
  const page = await inbox.seat('ana@example.com')
  await openCard(page, id)
  await page.locator('[data-argument]').first().waitFor()
  const rows = await page.locator('[data-argument]').allInnerTexts()
  const row = (name: string) => rows.find((text) => text.startsWith(name)) ?? ''
  expect(row('amount')).toMatch(/10000000\s*= 10,000,000/)
  expect(row('limit')).toMatch(/1000000000000000\s*= 1,000,000,000,000,000/)
  expect(row('rate')).toContain('0.000001')
  expect(row('small')).not.toContain('=')
})
