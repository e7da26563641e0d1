/** `npm run screenshots`: every page of the inbox, light and dark, wide and narrow, to look at. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { ensureInbox } from '../inbox/build.ts'
import { type SeedServer, startSeedServer } from '../inbox/dev/seed-server.ts'
import { seedPeople } from '../inbox/dev/seeds/admin.ts'
import { SEEDS_AGO, seedEverything } from '../inbox/dev/seeds/all.ts'
import { FORM_CALL } from '../inbox/dev/seeds/form.ts'
import { PREVIEW_CALL } from '../inbox/dev/seeds/preview.ts'
import { policyWithServers, seedTools } from '../inbox/dev/seeds/tools.ts'
import { seedViews } from '../inbox/dev/seeds/views.ts'
import { openPage, readToEnd, type StorageState } from '../inbox/test/browser-page.ts'
import { launchBrowser } from '../test/support/browser.ts'
import { root } from './tool.ts'

const folder = path.join(root, 'screenshots')
mkdirSync(folder, { recursive: true })

const inbox = await startSeedServer({
  page: await ensureInbox(),
  ago: SEEDS_AGO,
  policy: policyWithServers,
  push: [],
  async seed(server) {
    await seedEverything(server)
    await seedTools(server)
  },
})
/** Beside the usual calls, those of the views would push them out of the pictures. */
const views = await startSeedServer({
  page: await ensureInbox(),
  async seed(server) {
    await seedPeople(server)
    await seedViews(server)
    server.ids.set('form', await server.ask(FORM_CALL))
    server.ids.set('preview', await server.ask(PREVIEW_CALL))
  },
})

const card = (name: string) => [inbox, `/approvals/${inbox.id(name)}`] as const
const view = (name: string) => [views, `/approvals/${views.id(name)}`] as const

const PAGES = {
  inbox: [inbox, '/'],
  card: card('transfer'),
  critical: card('record'),
  unknown: card('unknown'),
  history: [inbox, '/history'],
  insights: [inbox, '/insights'],
  timeline: [inbox, `/history/${inbox.id('succeeded')}`],
  grants: [inbox, '/grants'],
  locks: [inbox, '/locks'],
  tools: [inbox, '/tools'],
  policy: [inbox, '/policy'],
  audit: [inbox, '/audit'],
  people: [inbox, '/people'],
  settings: [inbox, '/settings'],
  notifications: [inbox, '/notifications'],
  passkeys: [inbox, '/passkeys'],
  login: [inbox, '/login'],
  mail: view('mail'),
  sql: view('sql'),
  patch: view('patch'),
  edit: view('edit'),
  command: view('bash'),
  table: view('table'),
  text: view('text'),
  form: view('form'),
  preview: view('preview'),
} as const

const WIDTHS = { desktop: 1440, tablet: 820, phone: 390 } as const

const browser = await launchBrowser()

/** One session for all pictures: a sign-in for each would fill the record that one of them shows. */
const sessions = new Map<SeedServer, StorageState>()
for (const server of [inbox, views]) {
  const { page, close } = await openPage(browser, await server.link('/history'))
  await page.getByRole('heading', { name: 'History' }).waitFor()
  sessions.set(server, await page.context().storageState())
  await close()
}
try {
  for (const [name, [server, at]] of Object.entries(PAGES)) {
    for (const [size, width] of Object.entries(WIDTHS)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const view = { width, colorScheme, storageState: sessions.get(server) }
        const { page, close } = await openPage(browser, `${server.url}${at}`, view)
        // The stream of events never ends, so the page is never idle for long.
        await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
        if (name === 'card') await readToEnd(page)
        await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) })
        await close()
      }
    }
  }
  const signIn = await openPage(browser, inbox.url, { width: 1440 })
  await signIn.page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
  await signIn.page.screenshot({ path: path.join(folder, 'sign-in-desktop-light.png') })
  await signIn.close()
  const storageState = sessions.get(inbox)
  const batch = await openPage(browser, inbox.url, { width: 1440, storageState })
  await batch.page.locator('[data-row]').first().waitFor()
  for (const box of (await batch.page.locator('[data-row] ~ label input').all()).slice(2, 5)) {
    await box.check()
  }
  await batch.page.getByText('calls shown in full').waitFor()
  await batch.page.screenshot({ path: path.join(folder, 'batch-desktop-light.png') })
  await batch.close()
} finally {
  await browser.close()
  await inbox.stop()
  await views.stop()
}
process.stdout.write(`Pictures are in ${path.relative(root, folder)}/\n`)
