import { realpathSync, statSync } from 'node:fs'
import path from 'node:path'
import { foldedText, isOwnName } from './own-names.ts'

/** What an agent must not touch: an agent that can write these decides about itself. */
export interface OwnFiles {
  /** Files, and folders with everything in them, besides what is known by its name. */
  readonly paths: readonly string[]
  /** The home folder that `~` stands for. */
  readonly home?: string | undefined
}

/** Whether a path, with links followed, is one that decides. */
export type IsOwn = (place: string) => boolean

export function ownPlaces({ paths }: OwnFiles): IsOwn {
  const real = paths.map((one) => foldedText(realPath(one)))
  const files = new Set(paths.flatMap((one) => fileId(one) ?? []))
  return (place) => {
    if (isOwnName(place)) return true
    const there = realPath(place)
    if (isOwnName(there) || real.some((one) => isInside(foldedText(there), one))) return true
    const id = fileId(there)
    return id !== undefined && files.has(id)
  }
}

/** Of a file: hard links share it. */
function fileId(file: string): string | undefined {
  try {
    const { dev, ino, nlink } = statSync(file, { bigint: true })
    return nlink > 1n && ino !== 0n ? `${dev}:${ino}` : undefined
  } catch {
    return undefined
  }
}

const LONGEST_PATH = 65_536

/** Where a text leads that is taken for a path. One that is too long counts as ours. */
export function resolved(named: string, cwd: string, { home }: OwnFiles): string {
  if (named.length > LONGEST_PATH) return path.join(cwd, '.countersign')
  const place = named.replace(/^~(?=[\\/]|$)/, () => home ?? '~')
  return path.resolve(cwd, place.replaceAll('\0', ''))
}

/** With links followed as far as the path exists: a new file lies where its folder really is. */
export function realPath(place: string): string {
  try {
    return realpathSync.native(place)
  } catch {
    const parent = path.dirname(place)
    return parent === place ? place : path.join(realPath(parent), path.basename(place))
  }
}

export function isInside(place: string, folder: string): boolean {
  const way = path.relative(folder, place)
  return way === '' || !(way === '..' || way.startsWith(`..${path.sep}`) || path.isAbsolute(way))
}
