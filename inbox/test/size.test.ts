import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { ensureInbox } from '../build.ts'

test('the first load stays small, and is built for production', async () => {
  const folder = await ensureInbox()
  const page = readFileSync(path.join(folder, 'index.html'), 'utf8')
  const files = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map(
    ([, name]) => name ?? '',
  )
  const bytes = files.map((name) => gzipSync(readFileSync(path.join(folder, name))).length)
  expect(files.length).toBeGreaterThan(1)
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(140_000)
  expect(files.filter((name) => name.includes('dev-runtime'))).toEqual([])
}, 60_000)

test('the page holds no script or style of its own, so that its rules can forbid them', async () => {
  const page = readFileSync(path.join(await ensureInbox(), 'index.html'), 'utf8')
  expect(page).not.toMatch(/<style|\sstyle=|<script(?![^>]*\ssrc=)|\son\w+=/)
}, 60_000)
