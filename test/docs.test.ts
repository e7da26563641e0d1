import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => path.posix.join('docs', name.split(path.sep).join('/')))
  .filter((name) => name.endsWith('.md'))
const pages = [...docs, 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md']

interface Link {
  /** From the root of the repository. */
  readonly file: string
  readonly heading: string | undefined
}

/** Links of a page to files of this repository, outside of code blocks. */
function linksOf(page: string): Link[] {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', heading] = target.split('#')
      const full = file === '' ? page : path.posix.join(path.posix.dirname(page), file)
      return { file: full, heading }
    })
}

/** As GitHub names the headings of a page. */
function headingsOf(page: string): string[] {
  const text = read(page).replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

test.each(pages)('every link of %s leads to a file and a heading that exist', (page) => {
  const broken = linksOf(page).filter(
    ({ file, heading }) =>
      !existsSync(path.join(root, file)) ||
      (heading !== undefined && file.endsWith('.md') && !headingsOf(file).includes(heading)),
  )
  expect(broken).toEqual([])
})

test('every page of the documentation can be reached from its index', () => {
  const index = linksOf('docs/README.md').map(({ file }) => file)
  expect(index).toContain('docs/decisions/README.md')
  const decisions = linksOf('docs/decisions/README.md').map(({ file }) => file)
  const reached = new Set(['docs/README.md', ...index, ...decisions])
  expect(docs.filter((page) => !reached.has(page))).toEqual([])
})

const FOLDERS = /^(?:src|clients|test|docs|promises|faults|bench|scripts|inbox|examples)(?:\/|$)/
const known = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' }).map(
  (name) => name.split(path.sep).join('/'),
)

/** Names of files and folders in code marks, without those that stand for any (`<name>`). */
function pathsIn(page: string): string[] {
  return [...read(page).matchAll(/`([^`\n]+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/[\s<>*(]/.test(name))
}

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('every path that %s names exists', (page) => {
  const named = pathsIn(page)
  expect(named.filter((name) => FOLDERS.test(name)).length).toBeGreaterThan(10)
  const gone = named.filter((name) => FOLDERS.test(name) && !existsSync(path.join(root, name)))
  const unknown = named.filter(
    (name) => /^[\w-]+\.ts$/.test(name) && !known.some((file) => file.endsWith(`/${name}`)),
  )
  expect([...gone, ...unknown]).toEqual([])
})

test('ARCHITECTURE.md names every room of src', () => {
  const rooms = readdirSync(path.join(root, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `src/${name}`)
  const named = [...read('ARCHITECTURE.md').matchAll(/^\| `([\w/]+)` \|/gm)].map(([, name]) => name)
  expect(named).toEqual(expect.arrayContaining(rooms))
})
