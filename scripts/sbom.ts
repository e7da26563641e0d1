/** `npm run sbom`: what users get with the package, as CycloneDX. Reads the lockfile and `dist`. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { mustRun } from './release/command.ts'
import { type Lockfile, lockedAs, lockedClosure } from './release/lockfile.ts'
import { bundledIn, sbomOf } from './release/sbom.ts'
import { root } from './tool.ts'

interface Package {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
}

const packageOf = (folder: string) =>
  JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Package

/** Packages with their licences in `dist`, which the build writes for all that it bundles. */
function bundledInDist(): string[] {
  const dist = path.join(root, 'dist')
  if (!existsSync(dist)) throw new Error('There is no dist. Run: npm run build')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  return files
    .filter((file) => file.endsWith('LICENSES.txt'))
    .flatMap((file) => bundledIn(readFileSync(path.join(dist, file), 'utf8')))
}

/** They make the page and are not in it. */
const BUILDS = /^@types\/|vite|tailwind/

/**
 * Writes the file and says where it is. From the lockfile: `npm sbom --omit=dev` leaves dependencies
 * out that packages of developers use as well.
 */
export function writeSbom(): string {
  const { name, version, license, dependencies } = packageOf('.')
  // The page is built into the package. Its bundler says nothing of packages, so all that it may hold count.
  const usedByPages = Object.keys(packageOf('inbox').devDependencies).filter(
    (one) => !BUILDS.test(one),
  )
  const lockfile = JSON.parse(
    readFileSync(path.join(root, 'package-lock.json'), 'utf8'),
  ) as Lockfile
  const bom = sbomOf({
    ...{ name, version, license },
    installed: lockedClosure(lockfile, '', Object.keys(dependencies)),
    bundled: [
      ...lockedAs(lockfile, [...new Set(bundledInDist())]),
      ...lockedClosure(lockfile, 'inbox', usedByPages),
    ],
    madeAt: new Date(mustRun('git', ['log', '-1', '--format=%cI']).trim()).toISOString(),
  })
  const file = path.join(root, 'release', `${name}-${version}.cdx.json`)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(bom, undefined, 2)}\n`)
  return file
}

if (import.meta.main) {
  console.log(path.relative(root, writeSbom()))
}
