import { lstatSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { CountersignError } from '../../base/errors.ts'
import type { DocsFile, DocsFiles } from './docs-files.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml',
}
/** The index of the search, which only its own script reads. */
const BINARY = 'application/octet-stream'

/** The folder that `npm run site` built. Its files are listed once and read when they are asked for. */
export function readDocs(folder: string): DocsFiles {
  const found = new Map(namesIn(folder).map((name) => [name, fileOf(folder, name)]))
  if (found.has('index.html')) return found
  throw new CountersignError('usage', `there is no built documentation in ${folder}`, {
    hint: 'Build it with `npm run site` in a checkout, and name site/dist.',
  })
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => lstatSync(path.join(folder, name)).isFile())
      .map((name) => name.split(path.sep).join('/'))
  } catch {
    return []
  }
}

function fileOf(folder: string, name: string): DocsFile {
  return {
    type: TYPES[path.extname(name)] ?? BINARY,
    read: async () => new Uint8Array(await readFile(path.join(folder, name))),
  }
}
