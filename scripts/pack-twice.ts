/**
 * `npm run pack:twice`: packs the last commit in two clean folders of different names and compares
 * the bytes. Anyone with the commit and the lockfile can make the package that was published.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { mustRun } from './release/command.ts'
import { root } from './tool.ts'

interface Packed {
  readonly file: string
  readonly sha256: string
}

function packIn(folder: string): Packed {
  mkdirSync(folder)
  const archive = path.join(folder, 'commit.tar')
  mustRun('git', ['archive', '--format=tar', '-o', archive, 'HEAD'])
  mustRun('tar', ['-xf', archive, '-C', folder])
  rmSync(archive)
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  const build = ['--conditions=countersign-source', 'scripts/build.ts']
  mustRun(process.execPath, build, folder)
  const printed = mustRun('npm', ['pack', '--ignore-scripts', '--json'], folder)
  const file = path.join(folder, fileName(JSON.parse(printed)))
  return { file, sha256: createHash('sha256').update(readFileSync(file)).digest('hex') }
}

/** A list in older versions of npm, and an object by the names of the packages in newer ones. */
function fileName(printed: unknown): string {
  const [first] = Object.values(printed as Record<string, { readonly filename: string }>)
  if (!first) throw new Error('npm pack named no file')
  return first.filename
}

/** The package in `release/` and its hash; throws where two builds differ. */
export function packTwice(): Packed {
  const place = mkdtempSync(path.join(tmpdir(), 'countersign-pack-'))
  try {
    const one = packIn(path.join(place, 'one'))
    const two = packIn(path.join(place, 'another-name'))
    if (one.sha256 !== two.sha256) {
      throw new Error(`two builds of one commit differ: ${one.sha256} and ${two.sha256}`)
    }
    const file = path.join(root, 'release', path.basename(one.file))
    mkdirSync(path.dirname(file), { recursive: true })
    copyFileSync(one.file, file)
    return { file, sha256: one.sha256 }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { file, sha256 } = packTwice()
  console.log(`${sha256}  ${path.relative(root, file)}`)
}
