/** Several calls on one card: what differs side by side, what is the same once, each decided alone. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seedPeople } from '../dev/seeds/admin.ts'
import { armed, barriers, readToEnd } from './browser-page.ts'
import { layoutFaults } from './layout-faults.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

const refund = (order: string, amount: number) => ({
  tool: 'refund',
  agent: 'support',
  args: { amount, currency: 'EUR', order },
})

async function pick(page: Page, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const row = page.locator('li', { has: page.locator(`[data-row="${id}"]`) })
    await row.getByRole('checkbox').check()
  }
}

test('like calls are a table with totals; one with a look-alike letter stays whole', async () => {
  const server = await inbox.start({ ago: 0, seed: seedPeople })
  const ids: string[] = []
  for (const [order, amount] of [
    ['A-10417', 31],
    ['A-10422', 18.5],
    ['A-10425', 24],
  ] as const) {
    ids.push(await server.ask(refund(order, amount)))
  }
  const odd = await server.ask(refund('AB\u0410-10426', 9))
  const page = await inbox.open('/')
  await pick(page, [...ids, odd])
  const table = page.getByRole('region', { name: '3 calls of refund' })
  await table.waitFor()
  await table.getByText('Same in all 3').waitFor()
  expect(await table.getByRole('columnheader').allInnerTexts()).toEqual([
    'order',
    'amount',
    'Digest',
    'Decision',
  ])
  await expect.poll(() => page.locator(`section[data-call="${odd}"]`).count()).toBe(1)
  await readToEnd(page)
  await table.getByText('3 to approve').waitFor()
  expect(await table.locator('tfoot').innerText()).toContain('73.5')
  expect(await barriers(page)).toEqual([])
  expect(await layoutFaults(page)).toEqual([])

  const second = page.locator(`[data-call="${ids[1]}"]`)
  await second.getByRole('button', { name: 'Deny' }).click()
  await table.getByText('2 to approve, 1 to deny').waitFor()
  expect(await table.locator('tfoot').innerText()).toContain('55')
  await page.locator(`[data-call="${odd}"]`).getByRole('button', { name: 'Leave open' }).click()
  await armed(page)
  await page.locator('[data-approve]').click()
  await page.getByText('2 approved, 1 denied.').waitFor()
  const sent = new Map(server.sent.map(({ id, body }) => [id, body.verdict]))
  expect(ids.map((id) => sent.get(id))).toEqual(['approve', 'deny', 'approve'])
  expect(sent.has(odd)).toBe(false)
})

test('on a phone like calls say once what is the same, and the buttons stand together', async () => {
  const server = await inbox.start({ ago: 0, seed: seedPeople })
  const says = 'Parcels of one shipment were damaged.'
  const ids: string[] = []
  for (const at of [1, 2]) ids.push(await server.ask({ ...refund(`A-${at}`, at), says }))
  const page = await inbox.open('/', {}, { width: 1440 })
  await pick(page, ids)
  await page.getByRole('heading', { name: '2 calls of refund, 3 together' }).waitFor()
  await expect.poll(() => page.getByText(says).count()).toBe(1)
  await page.getByText('about all 2 calls').waitFor()
  const table = page.getByRole('region', { name: '2 calls of refund' })
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height })
    await expect.poll(() => table.getByText('Same in all 2').count()).toBe(1)
    await expect.poll(() => table.getByText('"EUR"').count()).toBe(1)
    const apart = async () => {
      const deny = await page.getByRole('button', { name: 'Deny all 2…' }).boundingBox()
      const send = await page.locator('[data-approve]').boundingBox()
      return (deny?.y ?? 0) - (send?.y ?? 1)
    }
    await expect.poll(apart).toBe(0)
    expect(await layoutFaults(page)).toEqual([])
  }
  // Two lines: what differs with its digest, and the decision.
  const call = await table.locator('[data-call]').first().boundingBox()
  expect(call?.height).toBeLessThan(112)
  // Each value stands beside its name.
  const values = table.locator('[data-call]').first().locator('[data-argument]')
  await expect.poll(() => values.allInnerTexts()).toEqual(['order\n"A-1"', 'amount\n1'])
})

test('on a phone any number of calls is picked before they are decided together', async () => {
  const server = await inbox.start({ ago: 0, seed: seedPeople })
  const ids: string[] = []
  for (const at of [1, 2, 3]) ids.push(await server.ask(refund(`A-${at}`, at)))
  const page = await inbox.open('/', {}, { width: 390, height: 844 })
  await pick(page, ids)
  await page.getByRole('button', { name: 'Decide together' }).click()
  await page.getByRole('region', { name: '3 calls of refund' }).waitFor()
  expect(await layoutFaults(page)).toEqual([])
})
