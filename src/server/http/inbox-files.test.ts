import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { serveInbox } from './inbox-files.ts'
import { readInbox } from './read-inbox.ts'

function built(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-files-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const dist = path.join(folder, 'dist')
  mkdirSync(path.join(dist, 'assets'), { recursive: true })
  writeFileSync(path.join(dist, 'index.html'), '<p>inbox</p>')
  writeFileSync(path.join(dist, 'assets/app-1a2b.js'), 'script')
  writeFileSync(path.join(dist, 'notes.secret'), 'secret')
  writeFileSync(path.join(folder, 'outside.js'), 'outside')
  symlinkSync(path.join(folder, 'gone.js'), path.join(dist, 'dangling.js'))
  return dist
}

function appFor(folder: string): Hono {
  const app = new Hono()
  const inbox = readInbox(folder)
  if (!inbox) return app
  const { files, page } = serveInbox(inbox)
  for (const [address, file] of files) app.get(address, file)
  app.notFound((c) => page(c) ?? c.text('nothing', 404))
  return app
}

const PAGE = { headers: { accept: 'text/html,*/*' } }

test.each(['/', '/history', '/history/abc', '/approvals/0mwig9'])(
  '%s is a page of the inbox',
  async (address) => {
    const response = await appFor(built()).request(address, PAGE)
    expect(await response.text()).toBe('<p>inbox</p>')
    expect(response.headers.get('cache-control')).toBe('no-cache')
  },
)

test.each([
  '/v1/nothing',
  '/assets/gone.js',
  '/../outside.js',
  '/..%2foutside.js',
  '/notes.secret',
  '/dangling.js',
  '/.well-known/nothing',
])('%s is not there', async (address) => {
  expect((await appFor(built()).request(address, PAGE)).status).toBe(404)
})

test('only a browser that opens a page gets one', async () => {
  expect((await appFor(built()).request('/history')).status).toBe(404)
})

test('an asset never has to be asked for again, a page is confirmed', async () => {
  const app = appFor(built())
  const asset = await app.request('/assets/app-1a2b.js')
  expect(asset.headers.get('cache-control')).toContain('immutable')
  expect(asset.headers.get('content-type')).toContain('javascript')
  const etag = (await app.request('/')).headers.get('etag') ?? ''
  const again = await app.request('/', { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
})

test('where nothing was built, there is no inbox', () => {
  expect(readInbox(path.join(built(), 'assets'))).toBe(undefined)
  expect(readInbox('/nowhere/at/all')).toBe(undefined)
})
