import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'

const REFERENCE = /\s(?:href|src)="(?<target>[^"]+)"/g
const ID = /\sid="(?<id>[^"]+)"/g

/** Every link of the built site that leads nowhere, as `page → target`. */
export function deadLinks(folder: string, base = '/docs'): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !statSync(path.join(folder, name)).isDirectory(),
  )
  const names = new Set(files.map((name) => name.split(path.sep).join('/')))
  const pages = new Map(
    [...names]
      .filter((name) => name.endsWith('.html'))
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')] as const),
  )
  const ids = new Map(
    [...pages].map(([name, html]) => [
      name,
      new Set([...html.matchAll(ID)].map(({ groups }) => decoded(groups?.id ?? ''))),
    ]),
  )
  const dead: string[] = []
  for (const [name, html] of pages) {
    for (const { groups } of html.matchAll(REFERENCE)) {
      const target = decoded(groups?.target ?? '')
      // Addresses elsewhere are not asked: the build needs no network.
      if (/^(?:[a-z][a-z+.-]*:|\/\/)/i.test(target)) continue
      const [at = '', hash] = target.split('#')
      const file = at === '' ? name : fileOf(at, name, base, names)
      const isThere = file !== undefined && (!hash || !ids.has(file) || hasId(ids, file, hash))
      if (!isThere) dead.push(`${name} → ${target}`)
    }
  }
  return dead
}

function hasId(ids: ReadonlyMap<string, ReadonlySet<string>>, file: string, hash: string): boolean {
  return hash === '_top' || ids.get(file)?.has(decodeURIComponent(hash)) === true
}

function fileOf(
  at: string,
  from: string,
  base: string,
  names: ReadonlySet<string>,
): string | undefined {
  const [pathname = ''] = at.split('?')
  const whole = pathname.startsWith('/')
    ? pathname
    : path.posix.join(base, path.posix.dirname(from), pathname)
  if (whole !== base && !whole.startsWith(`${base}/`)) return undefined
  const name = decodeURIComponent(whole.slice(base.length + 1))
  return [name, path.posix.join(name, 'index.html')].find((one) => names.has(one))
}

function decoded(text: string): string {
  return text.replaceAll('&amp;', '&').replaceAll('&#38;', '&').replaceAll('&quot;', '"')
}
