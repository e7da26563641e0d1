import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { borrowBrowser, giveBack } from '../../test/support/browser.ts'
import { ensureInbox } from '../build.ts'
import { ANA, type SeedOptions, type SeedServer, startSeedServer } from '../dev/seed-server.ts'
import { SEEDS_AGO, seedInbox } from '../dev/seeds/all.ts'
import { type OpenPage, openPage, type View } from './browser-page.ts'

export interface OpenOptions extends Omit<SeedOptions, 'page'> {
  readonly email?: string
  /** Opens the page without signing in. */
  readonly signedOut?: true
}

/** A server that several tests look at, and as who. */
export interface Shared extends Pick<OpenOptions, 'email' | 'signedOut'> {
  readonly server: Omit<OpenOptions, 'email' | 'signedOut'>
}

export interface SeededInbox {
  /** Of the test that runs. */
  readonly server: SeedServer
  readonly opened: OpenPage
  /** Starts a server for this test, with the usual seeds unless others are given. */
  start(options?: OpenOptions): Promise<SeedServer>
  /** Opens a path of the started server, or of a new one. */
  open(
    at: string | ((server: SeedServer) => string),
    options?: OpenOptions,
    view?: View,
  ): Promise<Page>
  /** Opens a path of a server that all tests with this object share. For tests that only look. */
  look(at: string | ((server: SeedServer) => string), shared: Shared, view?: View): Promise<Page>
  /** Closes page and server before the test is over, to open others. A shared server stays. */
  close(): Promise<void>
}

/** The built page on the real server, for the tests of a file. */
export function seededInbox(): SeededInbox {
  let browser: Browser
  let folder: string
  let server: SeedServer | undefined
  let opened: OpenPage | undefined
  const shared = new Map<Shared['server'], Promise<SeedServer>>()

  beforeAll(async () => {
    folder = await ensureInbox()
    browser = await borrowBrowser()
  }, 60_000)
  afterAll(async () => {
    await giveBack(browser)
    for (const running of shared.values()) await (await running).stop()
  })

  async function close(): Promise<void> {
    await opened?.close()
    await server?.stop()
    opened = undefined
    server = undefined
  }
  afterEach(close)

  async function start({ email: _, signedOut: __, ...options }: OpenOptions = {}) {
    server = await seeded(options)
    return server
  }

  const seeded = (options: Shared['server']) =>
    startSeedServer({ page: folder, ago: SEEDS_AGO, seed: seedInbox, ...options })

  async function show(
    running: SeedServer,
    at: string | ((server: SeedServer) => string),
    { signedOut, email = ANA }: Omit<Shared, 'server'>,
    view: View,
  ): Promise<Page> {
    const path = typeof at === 'string' ? at : at(running)
    const address = signedOut ? `${running.url}${path}` : await running.link(path, email)
    opened = await openPage(browser, address, view)
    return opened.page
  }

  return {
    get server() {
      if (server === undefined) throw new Error('no server was started')
      return server
    },
    get opened() {
      if (opened === undefined) throw new Error('no page was opened')
      return opened
    },
    start,
    async open(at, options = {}, view = {}) {
      return show(server ?? (await start(options)), at, options, view)
    },
    async look(at, as, view = {}) {
      const running = shared.get(as.server) ?? seeded(as.server)
      shared.set(as.server, running)
      return show(await running, at, as, view)
    },
    close,
  }
}
