import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { deadLinks } from './site/links.ts'
import { sitePage } from './site/page.ts'
import { sidebarOf } from './site/sidebar.ts'

const KNOWN = new Set(['README.md', 'errors.md', 'guides/mcp.md', 'guides/tools.md'])

test('a page of docs becomes a page of the site: title, links, pictures, code as it is', () => {
  const text = [
    '# The `mcp` command',
    'See [tools](tools.md#names), [errors](../errors.md) and [`src`](../../src/index.ts).',
    '![card](../images/card.png) [home](https://example.com/)',
    '```md',
    '[tools](tools.md)',
    '```',
  ].join('\n')
  expect(sitePage({ file: 'guides/mcp.md', text }, KNOWN)).toBe(
    [
      '---',
      'title: "The mcp command"',
      '---',
      'See [tools](/docs/guides/tools/#names), [errors](/docs/errors/) and `src`.',
      '![card](../images/card.png) [home](https://example.com/)',
      '```md',
      '[tools](tools.md)',
      '```',
    ].join('\n'),
  )
})

test('the index of docs is the sidebar', () => {
  const index =
    '# Docs\n[README](../README.md)\n\n**Decide**\n[which](guides/mcp.md) · [T](errors.md)'
  expect(sidebarOf(index)).toEqual([
    {
      label: 'Decide',
      collapsed: false,
      items: [
        { label: 'Which', link: '/guides/mcp/' },
        { label: 'T', link: '/errors/' },
      ],
    },
  ])
})

test('a link to a page, a file or a heading that is not there is found', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-site-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(path.join(folder, 'a'))
  writeFileSync(path.join(folder, 'a/index.html'), '<h2 id="here">')
  const good = '<a href="/docs/a/#here"> <a href="#top"> <p id="top"> <a href="https://x.example/">'
  const bad = '<a href="/docs/b/"> <a href="/docs/a/#gone"> <img src="/docs/c.png"> <a href="/d">'
  writeFileSync(path.join(folder, 'index.html'), good + bad)
  expect(deadLinks(folder)).toEqual([
    'index.html → /docs/b/',
    'index.html → /docs/a/#gone',
    'index.html → /docs/c.png',
    'index.html → /d',
  ])
})
