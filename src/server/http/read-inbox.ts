import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { InboxFiles, ServedFile } from './inbox-files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

/** Built into the package, or in a checkout; undefined when it was not built. */
export function findInbox(): InboxFiles | undefined {
  const places = ['../../inbox/', '../../../inbox/dist/']
  for (const place of places) {
    const found = readInbox(fileURLToPath(new URL(place, import.meta.url)))
    if (found) return found
  }
  return undefined
}

/** Undefined when nothing was built there. */
export function readInbox(folder: string): InboxFiles | undefined {
  const start = path.join(folder, 'index.html')
  if (!existsSync(start)) return undefined
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    lstatSync(path.join(folder, name)).isFile(),
  )
  const files = names.flatMap((name): [string, ServedFile][] => {
    const type = TYPES[path.extname(name)]
    if (type === undefined) return []
    const address = `/${name.split(path.sep).join('/')}`
    return [[address, served(path.join(folder, name), address, type)]]
  })
  const index = served(start, '/', TYPES['.html'] ?? '')
  return { index, files: new Map(files) }
}

function served(file: string, address: string, type: string): ServedFile {
  const body = new Uint8Array(readFileSync(file))
  // The name of an asset changes with what it holds, so it never has to be asked for again.
  const isHashed = address.startsWith('/assets/')
  return {
    body,
    headers: {
      'content-type': type,
      'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    },
  }
}
