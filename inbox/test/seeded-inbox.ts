import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { launchBrowser } from '../../test/support/browser.ts'
import { ensureInbox } from '../build.ts'
import { ANA, type SeedOptions, type SeedServer, startSeedServer } from '../dev/seed-server.ts'
import { SEEDS_AGO, seedInbox } from '../dev/seeds/all.ts'
import { type OpenPage, openPage, type View } from './browser-page.ts'

export interface OpenOptions extends Omit<SeedOptions, 'page'> {
  readonly email?: string
  /** Opens the page without signing in. */
  readonly signedOut?: true
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
  /** Closes page and server before the test is over, to open others. */
  close(): Promise<void>
}

/** The built page on the real server, for the tests of a file. */
export function seededInbox(): SeededInbox {
  let browser: Browser
  let folder: string
  let server: SeedServer | undefined
  let opened: OpenPage | undefined

  beforeAll(async () => {
    folder = await ensureInbox()
    browser = await launchBrowser()
  }, 60_000)
  afterAll(() => browser?.close())

  async function close(): Promise<void> {
    await opened?.close()
    await server?.stop()
    opened = undefined
    server = undefined
  }
  afterEach(close)

  async function start({ email: _, signedOut: __, ...options }: OpenOptions = {}) {
    server = await startSeedServer({ page: folder, ago: SEEDS_AGO, seed: seedInbox, ...options })
    return server
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
      const running = server ?? (await start(options))
      const path = typeof at === 'string' ? at : at(running)
      const address = options.signedOut
        ? `${running.url}${path}`
        : await running.link(path, options.email ?? ANA)
      opened = await openPage(browser, address, view)
      return opened.page
    },
    close,
  }
}
