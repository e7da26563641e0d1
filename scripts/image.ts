/**
 * `node scripts/image.ts PACKAGE.tgz FOLDER`: the package with all that a server can use, as the image
 * holds it. Every file comes from what `npm ci` installed, so the lockfile pins all of it; nothing is
 * resolved anew.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './tool.ts'

/** Packages that a server uses where they are there: mail, traces, models to chat with. */
export const OPTIONAL_PARTS = [
  'nodemailer',
  '@opentelemetry/api',
  'ai',
  '@ai-sdk/anthropic',
  '@ai-sdk/google',
  '@ai-sdk/openai-compatible',
]

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

type Packages = Readonly<Record<string, Locked>>

/** The folders in node_modules that the package and its optional parts need. */
function foldersNeeded(packages: Packages): string[] {
  const own = Object.keys(packages['']?.dependencies ?? {})
  const needed = new Set<string>()
  const queue = [...own, ...OPTIONAL_PARTS].map((name) => ({ name, from: '' }))
  for (let next = queue.pop(); next; next = queue.pop()) {
    const folder = resolve(next.name, next.from, packages)
    if (folder === undefined || needed.has(folder)) continue
    needed.add(folder)
    for (const name of dependenciesOf(packages[folder] ?? {})) queue.push({ name, from: folder })
  }
  return [...needed].sort()
}

function dependenciesOf(locked: Locked): string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = locked
  const peers = Object.keys(peerDependencies).filter(
    (name) => !peerDependenciesMeta[name]?.optional,
  )
  return [
    ...Object.keys(locked.dependencies ?? {}),
    ...Object.keys(locked.optionalDependencies ?? {}),
    ...peers,
  ]
}

/** As Node looks for it: inside of the package that asks, then further out. */
function resolve(name: string, from: string, packages: Packages): string | undefined {
  for (
    let folder = from;
    ;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))
  ) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[candidate]) return candidate
    if (folder === '') return undefined
  }
}

function fill(archive: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  const unpacked = spawnSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'])
  if (unpacked.status !== 0) throw new Error(`${archive} cannot be unpacked: ${unpacked.stderr}`)
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Packages
  }
  for (const name of foldersNeeded(lock.packages)) {
    const from = path.join(root, name)
    // Of another platform.
    if (!existsSync(from)) continue
    const inner = path.join(from, 'node_modules')
    cpSync(from, path.join(folder, name), {
      ...{ recursive: true, dereference: true },
      // What lies inside of it stands in the lockfile by itself.
      filter: (source) => source !== inner && !source.startsWith(`${inner}${path.sep}`),
    })
  }
}

if (import.meta.main) {
  const [archive, folder] = process.argv.slice(2)
  if (archive === undefined || folder === undefined) {
    process.stderr.write('usage: node scripts/image.ts PACKAGE.tgz FOLDER\n')
    process.exitCode = 2
  } else fill(path.resolve(archive), path.resolve(folder))
}
