import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import { CountersignError } from '../../base/errors.ts'
import type { KeyFolder } from '../vault.ts'

const ENDING = '.key.json'

/** Private keys as files that only their owner may read. Made when the first key is. */
export function keyFolder(folder: string): KeyFolder {
  return {
    async list() {
      const names = await readdir(folder).catch((error: unknown) => {
        if (isMissing(error)) return []
        throw unreadable(folder, error)
      })
      const keys = names.filter((name) => name.endsWith(ENDING)).sort()
      return Promise.all(keys.map((name) => readKey(path.join(folder, name))))
    },
    async add(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const draft = path.join(folder, `.${randomUUID()}.tmp`)
      const file = await open(draft, 'wx', 0o600)
      try {
        try {
          await file.writeFile(text)
          await file.sync()
        } finally {
          await file.close()
        }
        // A link, not a rename: it appears whole, and never over another key.
        await link(draft, path.join(folder, `${name}${ENDING}`))
      } finally {
        await unlink(draft)
      }
    },
  }
}

async function readKey(file: string): Promise<string> {
  try {
    const { mode } = await stat(file)
    const others = mode & 0o077
    if (process.platform !== 'win32' && others !== 0) {
      throw new CountersignError('key_unusable', `others may read the private key ${file}`, {
        hint: `Run chmod 600 ${file}; if others may have read it, move it away: a new one is made.`,
      })
    }
    return await readFile(file, 'utf8')
  } catch (error) {
    throw error instanceof CountersignError ? error : unreadable(file, error)
  }
}

function unreadable(file: string, cause: unknown): CountersignError {
  return new CountersignError('key_unusable', `${file} cannot be read`, {
    hint: 'Check that this user may read the folder of private keys.',
    cause,
  })
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** Keys that live as long as the process, for stores that do too. */
export function memoryKeys(): KeyFolder {
  const keys: string[] = []
  return {
    list: async () => [...keys],
    async add(_, text) {
      keys.push(text)
    },
  }
}
