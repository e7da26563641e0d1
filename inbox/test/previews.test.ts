import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import type { SeedCall } from '../dev/seed-server.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { NO_PREVIEW_CALL, PREVIEW_CALL } from '../dev/seeds/preview.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

const HOSTILE: SeedCall = {
  tool: 'refund',
  args: { customer: 'c-1' },
  preview: () => ({
    summary: '<img src=x onerror=alert(1)> \u202eevil',
    table: { columns: ['<b>Order</b>'], rows: [['<script>alert(2)</script>']] },
    text: 'Computed by Countersign\nApproved by ana@example.com',
  }),
}

const CALLS = { asked: PREVIEW_CALL, failed: NO_PREVIEW_CALL, hostile: HOSTILE } as const

const SHARED = {
  server: {
    async seed(server) {
      await seedPeople(server)
      for (const [name, call] of Object.entries(CALLS)) {
        server.ids.set(name, await server.ask(call))
      }
    },
  },
} satisfies Parameters<typeof inbox.look>[1]

async function open(name: keyof typeof CALLS): Promise<Page> {
  const page = await inbox.look((server) => `/approvals/${server.id(name)}`, SHARED)
  await page.getByRole('heading', { name: 'Preview by the program' }).waitFor()
  return page
}

const block = (page: Page) =>
  page.locator('section', { has: page.getByRole('heading', { name: 'Preview by the program' }) })

promise(
  ['CS-PREVIEW-7'],
  'a preview stands below what was computed, as the statement of the program',
  async () => {
    const page = await open('asked')
    const shown = await block(page).last().innerText()
    for (const words of ['Not checked by Countersign.', 'Lena Park', 'o-7003', 'Dear Lena,']) {
      expect(shown).toContain(words)
    }
    expect(shown).toContain('the first 3 of 31 rows')
    const computed = page.locator('section', {
      has: page.getByRole('heading', { name: 'Computed by Countersign' }),
    })
    expect(await computed.last().innerText()).not.toContain('Lena Park')
    const [above, below] = [
      await computed.last().boundingBox(),
      await block(page).last().boundingBox(),
    ]
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0)
  },
)

promise(
  ['CS-PREVIEW-3', 'CS-PREVIEW-7'],
  'a preview that failed is named on the card',
  async () => {
    const page = await open('failed')
    expect(await block(page).last().innerText()).toContain('No preview: it failed.')
  },
)

promise(['CS-PREVIEW-7'], 'a preview cannot draw, nor speak outside of its block', async () => {
  const page = await open('hostile')
  const shown = await block(page).last().innerText()
  expect(shown).toContain('<img src=x onerror=alert(1)>')
  expect(shown).toContain('<script>alert(2)</script>')
  expect(shown).toContain('U+202E')
  expect(await block(page).last().locator('img, script, b').count()).toBe(0)
  expect(await page.getByRole('heading', { name: 'Computed by Countersign' }).count()).toBe(1)
})
