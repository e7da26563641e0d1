/** The list of what a new server still needs: read from the server, gone when all is done. */
import { expect, test } from 'vitest'
import { ANA } from '../dev/seed-server.ts'
import { barriers } from './browser-page.ts'
import { layoutFaults } from './layout-faults.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

test('a new server lists what is left, and each step is done when the server knows of it', async () => {
  const server = await inbox.start({
    ago: 0,
    async seed(one) {
      await one.person(ANA)
    },
  })
  const page = await inbox.open('/')
  const list = page.getByRole('region', { name: 'Set up' })
  await list.getByText('1 of 5 done').waitFor()
  await list.getByRole('link', { name: /^Write a policy \(done/ }).waitFor()
  expect(await barriers(page)).toEqual([])
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 })
    expect(await layoutFaults(page)).toEqual([])
  }
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('link', { name: /Set up, next: Connect an agent/ }).waitFor()

  await server.person('bo@example.com', { roles: ['approver'] })
  const id = await server.ask({ tool: 'refund', args: { amount: 1 } })
  await server.decide(ANA, id, { verdict: 'deny', reason: 'A try' })
  // The list is read when the page is opened; what the server counts may come a moment later.
  await expect
    .poll(
      async () => {
        await page.reload()
        return list.getByText(/of 5 done/).textContent()
      },
      { timeout: 60_000 },
    )
    .toBe('3 of 5 done')
  await list.getByRole('link', { name: /^Be told when a call waits \(to do/ }).click()
  await page.getByRole('heading', { name: 'Phone and notifications' }).waitFor()
})

test('people who are not admins are not asked to set anything up', async () => {
  const server = await inbox.start({
    ago: 0,
    async seed(one) {
      await one.person('bo@example.com', { roles: ['approver'] })
    },
  })
  expect(server.url).toBeTruthy()
  const page = await inbox.open('/', { email: 'bo@example.com' })
  await page.getByRole('heading', { name: 'Nothing is waiting' }).waitFor()
  await page.getByText('You are signed in as').waitFor()
  expect(await page.getByText('Set up').count()).toBe(0)
})
