/** The inbox as an app: installed, offline, and told of calls while it is closed. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { borrowBrowser, giveBack } from '../../test/support/browser.ts'
import { promise } from '../../test/support/promise.ts'
import { type FakeBrowser, pushService } from '../../test/support/push-service.ts'
import { ensureInbox } from '../build.ts'
import { type SeedServer, startSeedServer } from '../dev/seed-server.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { barriers, openPage } from './browser-page.ts'

const POLICY = `version: 1
people: { groups: { platform: [bo@example.com] } }
tools:
  pay: { risk: L3, approval: { approvers: ["*"] } }
`
const BO = 'bo@example.com'

/**
 * This Chromium has no notifications and no push service, so what would be shown and opened is
 * recorded in front of our own script. Everything else of it runs as served.
 */
const RECORDER = `
const shown = [], opened = []
ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
  const at = shown.findIndex(({ tag }) => tag === options.tag)
  if (at >= 0) shown.splice(at, 1)
  shown.push({ title, ...options, close() { shown.splice(shown.indexOf(this), 1) } })
}
ServiceWorkerRegistration.prototype.getNotifications = async ({ tag } = {}) =>
  shown.filter((one) => tag === undefined || one.tag === tag)
Clients.prototype.openWindow = async (url) => void opened.push(url)
self.addEventListener('message', ({ data, ports }) => {
  if (data === 'click') {
    const event = new Event('notificationclick')
    self.dispatchEvent(Object.assign(event, { notification: shown[0], waitUntil() {} }))
  }
  setTimeout(() => ports[0].postMessage({ shown: JSON.parse(JSON.stringify(shown)), opened }), 50)
})
`

const until = <T>(check: () => T | Promise<T>) => vi.waitFor(check, 10_000)

interface Recorded {
  readonly shown: readonly { readonly title: string; readonly tag: string; readonly body: string }[]
  readonly opened: readonly string[]
}

let browser: Browser
let folder: string

beforeAll(async () => {
  const built = await ensureInbox()
  folder = mkdtempSync(path.join(tmpdir(), 'countersign-app-'))
  cpSync(built, folder, { recursive: true })
  const worker = readFileSync(path.join(built, 'sw.js'), 'utf8')
  writeFileSync(path.join(folder, 'sw.js'), RECORDER + worker)
  browser = await borrowBrowser()
}, 60_000)
afterAll(async () => {
  await giveBack(browser)
  rmSync(folder, { recursive: true, force: true })
})

async function started(options: { base?: string; push?: readonly string[] } = {}) {
  const server = await startSeedServer({
    ...{ page: folder, memory: true, policy: POLICY, seed: seedPeople },
    ...options,
  })
  onTestFinished(() => server.stop().catch(() => {}))
  return server
}

async function opened(server: SeedServer, at: string, fake?: FakeBrowser, email?: string) {
  const link = await server.link(at, email)
  const { page, problems, close } = await openPage(browser, 'about:blank', { width: 390 })
  onTestFinished(close)
  if (fake) await page.addInitScript(subscribing, subscriptionOf(fake))
  await page.goto(link)
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}))
  return { page, problems, cdp: await page.context().newCDPSession(page) }
}

const subscriptionOf = ({ endpoint, p256dh, auth }: FakeBrowser) => ({ endpoint, p256dh, auth })

/** A person who agrees, and a push service that the browser is connected to. */
function subscribing({ endpoint, ...keys }: ReturnType<typeof subscriptionOf>) {
  const made = {
    endpoint,
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => {
      localStorage.removeItem('test-subscribed')
      return true
    },
  }
  const current = () => (localStorage.getItem('test-subscribed') === 'yes' ? made : null)
  Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
  Notification.requestPermission = async () => 'granted'
  PushManager.prototype.getSubscription = async () => current() as never
  PushManager.prototype.subscribe = async () => {
    localStorage.setItem('test-subscribed', 'yes')
    return made as never
  }
}

async function shows(page: Page, text: string): Promise<void> {
  await until(async () => expect(await page.textContent('body')).toContain(text))
}

function recorded(page: Page, say = 'look'): Promise<Recorded> {
  return page.evaluate(async (data) => {
    const { active } = await navigator.serviceWorker.ready
    const { port1, port2 } = new MessageChannel()
    return new Promise<Recorded>((resolve) => {
      port1.onmessage = (event) => resolve(event.data as Recorded)
      active?.postMessage(data, [port2])
    })
  }, say)
}

/** Brings a message to the service worker, as a push service would. */
async function pusher(cdp: CDPSession, origin: string) {
  let registrationId = ''
  cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId ||= registrations[0]?.registrationId ?? ''
  })
  await cdp.send('ServiceWorker.enable')
  await until(() => expect(registrationId).not.toBe(''))
  return (payload: object | string) => {
    const data = typeof payload === 'string' ? payload : JSON.stringify(payload)
    return cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
  }
}

promise.each(
  ['CS-PUSH-6'],
  'the inbox can be installed',
  [
    ['at the root of a host', ''],
    ['below a path', '/approvals'],
  ] as [string, string][],
  async (_, base) => {
    const server = await started(base === '' ? {} : { base })
    const { page, problems, cdp } = await opened(server, `${base}/`)
    const manifest = await cdp.send('Page.getAppManifest')
    expect(manifest.errors).toEqual([])
    expect(manifest.url).toBe(`${server.url}${base}/manifest.webmanifest`)
    const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
    expect(installabilityErrors).toEqual([])
    const read = await page.evaluate(async (at) => {
      const said = await (await fetch(at)).json()
      const icons = said.icons.map(({ src }: { src: string }) => new URL(src, at).href)
      const types = icons.map(async (icon: string) =>
        (await fetch(icon)).headers.get('content-type'),
      )
      return { start: new URL(said.start_url, at).href, types: await Promise.all(types) }
    }, manifest.url)
    expect(read.start).toBe(`${server.url}${base}/`)
    expect(read.types).toEqual(['image/png', 'image/png', 'image/png'])
    const scope = await page.evaluate(async () => (await navigator.serviceWorker.ready).scope)
    expect(scope).toBe(`${server.url}${base}/`)
    expect(problems).toEqual([])
  },
)

promise(
  ['CS-PUSH-6'],
  'without a network the app says that nothing is decided, and shows nothing it knew',
  async () => {
    const server = await started()
    const id = await server.ask({ tool: 'pay', args: { to: 'Zebediah' } })
    const { page } = await opened(server, `/approvals/${id}`)
    // The first page came before the service worker; this one goes through it.
    await page.reload()
    await shows(page, 'Zebediah')
    expect(await page.evaluate(() => caches.keys())).toEqual([])
    server.silent = true
    await page.reload()
    await page.getByRole('heading', { name: 'You are offline' }).waitFor()
    expect(await page.content()).toContain('Nothing is decided while you are offline')
    expect(await page.content()).not.toContain('Zebediah')
    expect(await barriers(page)).toEqual([])
    server.silent = false
    await page.getByRole('link', { name: 'Try again' }).click()
    await shows(page, 'Zebediah')
  },
)

promise(
  ['CS-PUSH-3', 'CS-PUSH-4'],
  'a device that was turned on shows a call that waits, and lets go of it when it was decided elsewhere',
  async () => {
    const { browser: device, allowHosts, service } = await pushService()
    const fake = device()
    const server = await started({ push: allowHosts })
    const { page, cdp, problems } = await opened(server, '/notifications', fake)
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    expect(await barriers(page)).toEqual([])
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Notifications are on for this device.').waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('Its push service took the message').waitFor()
    expect(await barriers(page)).toEqual([])
    const deliver = await pusher(cdp, server.url)
    await deliver(fake.got[0]?.payload ?? {})
    const titles = async () => (await recorded(page)).shown.map(({ title }) => title)
    await until(async () => expect(await titles()).toEqual(['Countersign reaches this device']))

    const id = await server.ask({ tool: 'pay', args: { amount: 5 } })
    await until(() => expect(fake.got.length).toBe(2))
    await deliver(fake.got[1]?.payload ?? {})
    await until(async () => expect(await titles()).toContain('L3: pay waits for you'))
    await server.person(BO, { roles: ['viewer', 'approver'] })
    await server.decide(BO, id, { verdict: 'deny' })
    await until(() => expect(fake.got.length).toBe(3))
    await deliver(fake.got[2]?.payload ?? {})
    await until(async () => expect(await titles()).toContain('pay: denied'))
    await until(async () => expect(await titles()).not.toContain('pay: denied'))
    expect(service.refused).toEqual([])
    expect(problems).toEqual([])
  },
)

promise(
  ['CS-PUSH-4'],
  'a click opens the card, and no message opens another site or brings buttons',
  async () => {
    const server = await started()
    const { page, cdp } = await opened(server, '/')
    const deliver = await pusher(cdp, server.url)
    const place = `${server.url}/approvals/a1`
    const places = [place, 'https://evil.example/x', 'javascript:alert(1)', `${server.url}.evil/x`]
    for (const navigate of places) {
      const actions = [{ action: 'approve', title: 'Approve' }]
      await deliver({ notification: { title: 'x', tag: 't', navigate, actions } })
      await until(async () => expect((await recorded(page)).shown.length).toBe(1))
      const [only] = (await recorded(page)).shown
      expect(Object.keys(only ?? {})).not.toContain('actions')
      await recorded(page, 'click')
    }
    const home = `${server.url}/`
    const { opened: windows, shown } = await recorded(page)
    // The page that is open at home is brought to the front instead of a second one.
    expect(windows.filter((url) => url !== home)).toEqual([place])
    expect(shown).toEqual([])
    await deliver('{ this is not JSON')
    await until(async () => {
      expect((await recorded(page)).shown).toMatchObject([{ title: 'Countersign' }])
    })
  },
)

promise(
  ['CS-PUSH-2'],
  'a browser that another person signs in with is theirs, and signing out turns it off',
  async () => {
    const { browser: device, allowHosts } = await pushService()
    const fake = device()
    const server = await started({ push: allowHosts })
    const { page } = await opened(server, '/notifications', fake)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Notifications are on for this device.').waitFor()
    const ana = await server.person('ana@example.com')
    const devices = async () =>
      (await ana.send<{ devices: unknown[] }>('GET', '/v1/devices')).devices.length
    expect(await devices()).toBe(1)
    // The session ended by itself, and the next person finds the browser as it was left.
    await page.context().clearCookies()
    await page.goto(await server.link('/notifications', BO))
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    await until(async () => expect(await devices()).toBe(0))
    await until(async () =>
      expect(await page.evaluate(() => localStorage.getItem('test-subscribed'))).toBeNull(),
    )

    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Notifications are on for this device.').waitFor()
    await page.getByRole('button', { name: 'You' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
    expect(await page.evaluate(() => localStorage.getItem('test-subscribed'))).toBeNull()
    await server.ask({ tool: 'pay', args: {} })
    expect(fake.got).toEqual([])
  },
)
