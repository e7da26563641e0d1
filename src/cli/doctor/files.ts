import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Place } from '../state/database.ts'
import { type Finding, note, ok, problem, warning } from './finding.ts'

/** Whether only its owner reads what lies beside the database. */
export function fileFindings(place: Place): Finding[] {
  const { folder } = place
  if (!existsSync(folder)) {
    return [note('files', `${folder} does not exist yet`, 'Run `countersign start` once.')]
  }
  return [permissions(folder, place), head(path.join(folder, 'head.json'))]
}

function permissions(folder: string, place: Place): Finding {
  // On Windows these bits say nothing.
  if (process.platform === 'win32') return note('files', 'permissions are not looked at here')
  const keys = path.join(folder, 'keys')
  const inside = [
    ...(place.kind === 'sqlite' ? [place.path, `${place.path}-wal`] : []),
    path.join(folder, 'head.json'),
    ...(existsSync(keys) ? readdirSync(keys).map((name) => path.join(keys, name)) : []),
  ]
  // A file in a folder that only its owner can enter is not exposed, whatever its own mode says.
  if (isOwn(folder)) return ok('files', `only you can enter ${folder}`)
  const open = inside.filter((file) => existsSync(file) && !isOwn(file))
  if (open.length === 0) return ok('files', 'only you can read the database and the keys')
  return problem(
    'files',
    `others on this machine can read ${open.join(', ')}`,
    `Run: chmod 700 ${folder}`,
  )
}

function isOwn(file: string): boolean {
  return (statSync(file).mode & 0o077) === 0
}

function head(file: string): Finding {
  if (!existsSync(file)) {
    return note('head.json', 'it is not there yet', 'It is written with the first approval.')
  }
  try {
    JSON.parse(readFileSync(file, 'utf8'))
    return ok('head.json', 'a restored backup would be noticed')
  } catch {
    return warning(
      'head.json',
      'it cannot be read, so the next start voids every unused yes',
      'Remove it; it is written anew.',
    )
  }
}
