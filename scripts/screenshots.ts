/** `npm run screenshots`: every page of the inbox, light and dark, wide and narrow, to look at. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ensureInbox } from '../inbox/build.ts'
import { startFakeServer } from '../inbox/dev/fake-server.ts'
import { viewCalls } from '../inbox/dev/views.ts'
import { openPage, readToEnd } from '../inbox/test/browser-page.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { root } from './tool.ts'

const PAGES = {
  inbox: '/',
  card: '/approvals/ap_7q2m',
  critical: '/approvals/ap_8h41',
  history: '/history',
  timeline: '/history/ap_h1',
  grants: '/grants',
  locks: '/locks',
  tools: '/tools',
  policy: '/policy',
  audit: '/audit',
  people: '/people',
  mail: '/approvals/ap_mail',
  sql: '/approvals/ap_sql',
  patch: '/approvals/ap_patch',
  edit: '/approvals/ap_edit',
  command: '/approvals/ap_bash',
  table: '/approvals/ap_table',
  text: '/approvals/ap_text',
} as const

const WIDTHS = { desktop: 1440, tablet: 820, phone: 390 } as const
const folder = path.join(root, 'screenshots')

mkdirSync(folder, { recursive: true })
const server = await startFakeServer({ page: await ensureInbox(), signedIn: true })
for (const call of viewCalls(Date.now())) server.calls.set(call.id, call)
const browser = await launchBrowser()
try {
  for (const [name, at] of Object.entries(PAGES)) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const address = new URL(at, server.url).href
        const { page, close } = await openPage(browser, address, { width, colorScheme })
        await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
        if (name === 'card') await readToEnd(page)
        await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) })
        await close()
      }
    }
    if (name !== 'inbox') continue
    const { page, close } = await openPage(browser, server.url, { width: 1440 })
    await page.locator('[data-row]').first().waitFor()
    for (const box of (await page.locator('[data-row] ~ label input').all()).slice(2, 5)) {
      await box.check()
    }
    await page.getByText('calls shown in full').waitFor()
    await page.screenshot({ path: path.join(folder, 'batch-desktop-light.png') })
    await close()
  }
} finally {
  await browser.close()
  await server.stop()
}
process.stdout.write(`Pictures are in ${path.relative(root, folder)}/\n`)
