/**
 * `npm run site`: the documentation as a site in `site/dist`, made from `docs/` and from the types
 * of the public API, every link checked. `countersign start --docs site/dist` serves it at `/docs`.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { deadLinks } from './site/links.ts'
import { sitePage } from './site/page.ts'
import { sidebarOf } from './site/sidebar.ts'
import { root } from './tool.ts'

const site = path.join(root, 'site')
const content = path.join(site, 'src', 'content', 'docs')

/** Entry points whose types are worth a page each. */
const ENTRIES = [
  'index',
  'client/remote-gate',
  'app/create-countersign',
  'app/node',
  'gateway/gate-server',
]

function run(command: string, args: readonly string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: 'inherit' })
  if (status !== 0) throw new Error(`${path.basename(command)} ended with ${status}`)
}

/** The site has packages of its own, because `npm test` and users of the library need none of them. */
function install(): void {
  const lock = path.join(site, 'package-lock.json')
  const stamp = path.join(site, 'node_modules', '.stamp')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(lock, 'utf8')) return
  run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], site)
  cpSync(lock, stamp)
}

function writePages(): void {
  const docs = path.join(root, 'docs')
  const files = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
  const known = new Set(files)
  rmSync(content, { recursive: true, force: true })
  for (const file of files) {
    const text = readFileSync(path.join(docs, file), 'utf8')
    const to = path.join(content, file.replace(/README\.md$/, 'index.md'))
    mkdirSync(path.dirname(to), { recursive: true })
    writeFileSync(to, sitePage({ file, text }, known))
  }
  cpSync(path.join(docs, 'images'), path.join(content, 'images'), { recursive: true })
  writeStart(known)
}

/** The README of the repository is the first page; the index of `docs/` is in the sidebar. */
function writeStart(known: ReadonlySet<string>): void {
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
  const text = readme
    .replace(/^<h1>.*<\/h1>$/m, '# Countersign')
    .replaceAll(/(src|srcset)="docs\//g, '$1="/docs/')
    .replaceAll('](docs/', '](')
  writeFileSync(path.join(content, 'index.md'), sitePage({ file: 'README.md', text }, known))
  cpSync(path.join(root, 'docs', 'images'), path.join(site, 'public', 'images'), {
    recursive: true,
  })
}

function writeTypes(): void {
  const out = path.join(content, 'reference', 'api')
  const tool = path.join(site, 'node_modules', 'typedoc', 'bin', 'typedoc')
  const entries = ENTRIES.map((entry) => path.join(root, 'src', `${entry}.ts`))
  const options = path.join(site, 'typedoc.json')
  run(process.execPath, [tool, '--options', options, '--out', out, ...entries], site)
  for (const name of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.md')) continue
    const file = path.join(out, name)
    const below = `reference/api/${name.split(path.sep).join('/')}`
    const pages = new Set([below])
    writeFileSync(file, sitePage({ file: below, text: readFileSync(file, 'utf8') }, pages))
  }
}

install()
writePages()
writeTypes()
const sidebar = sidebarOf(readFileSync(path.join(root, 'docs', 'README.md'), 'utf8'))
const types = {
  label: 'Types',
  collapsed: true,
  items: [{ autogenerate: { directory: 'reference/api' } }],
}
writeFileSync(path.join(site, 'generated.json'), JSON.stringify({ sidebar: [...sidebar, types] }))
run(process.execPath, [path.join(site, 'node_modules', 'astro', 'bin', 'astro.mjs'), 'build'], site)
const dead = deadLinks(path.join(site, 'dist'))
for (const line of dead) process.stdout.write(`dead link: ${line}\n`)
process.stdout.write(
  `${dead.length === 0 ? 'every link leads somewhere' : `${dead.length} dead links`}\n`,
)
process.exitCode = dead.length === 0 ? 0 : 1
