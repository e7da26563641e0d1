import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createCountersign } from '../../app/create-countersign.ts'
import { docsFiles } from '../../app/node.ts'
import { definePolicy } from '../../policy/load/define-policy.ts'
import { memoryStore } from '../../store/memory/index.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-docs-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  const dist = path.join(made, 'dist')
  mkdirSync(path.join(dist, 'guides/mcp'), { recursive: true })
  writeFileSync(path.join(dist, 'index.html'), '<script>theme()</script><p>start')
  writeFileSync(path.join(dist, 'guides/mcp/index.html'), '<script src="/docs/a.js"></script>')
  writeFileSync(path.join(dist, '404.html'), '<p>no such page')
  writeFileSync(path.join(dist, 'a.js'), 'code')
  writeFileSync(path.join(made, 'secret.txt'), 'secret')
  symlinkSync(path.join(made, 'secret.txt'), path.join(dist, 'link.txt'))
  return dist
}

async function serving(at: string) {
  const countersign = createCountersign({
    policy: definePolicy({ version: 1, tools: {} }),
    store: memoryStore(),
    docs: docsFiles(at),
  })
  await countersign.ready()
  onTestFinished(() => countersign.close())
  const headers = { host: '127.0.0.1:4747' }
  return (to: string) => countersign.fetch(new Request(`http://127.0.0.1:4747${to}`, { headers }))
}

test('the documentation is served at /docs, page by page, to anyone', async () => {
  const get = await serving(folder())
  expect(await (await get('/docs/')).text()).toContain('start')
  expect((await get('/docs')).headers.get('location')).toBe('/docs/')
  expect((await get('/docs/guides/mcp/')).headers.get('content-type')).toContain('text/html')
  expect(await (await get('/docs/a.js')).text()).toBe('code')
  const missing = await get('/docs/guides/none/')
  expect([missing.status, await missing.text()]).toEqual([404, '<p>no such page'])
})

test('a page runs the scripts it was built with and no others', async () => {
  const get = await serving(folder())
  const policy = (await get('/docs/')).headers.get('content-security-policy') ?? ''
  // printf 'theme()' | openssl dgst -sha256 -binary | base64
  expect(policy).toContain("'sha256-Rfr3GgHZFiXm+TmNr+li+0sZ4J9FGllo8jsXcJF5XZ8='")
  expect(policy).not.toContain("script-src 'self' 'unsafe-inline'")
  expect(policy).toContain("frame-ancestors 'none'")
  const other = (await get('/docs/guides/mcp/')).headers.get('content-security-policy')
  expect(other).not.toContain('sha256-')
  const { headers } = await get('/docs/a.js')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  // The worker of the search is such a file, and has its own policy.
  expect(headers.get('content-security-policy')).toContain("script-src 'self' 'wasm-unsafe-eval';")
})

test('nothing outside of the folder is served, by a link or by a path', async () => {
  const get = await serving(folder())
  for (const to of ['/docs/link.txt', '/docs/../secret.txt', '/docs/%2e%2e/secret.txt']) {
    const response = await get(to)
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.not.stringMatching(/^secret/),
    ])
  }
})

test('a folder without a built site is refused, and so is one below a base path', () => {
  expect(() => docsFiles(path.join(folder(), 'guides'))).toThrow(/no built documentation/)
  const options = {
    policy: definePolicy({ version: 1, tools: {} }),
    store: memoryStore(),
    docs: docsFiles(folder()),
    basePath: '/approvals',
  }
  expect(() => createCountersign(options)).toThrow(/served at \/docs/)
})
