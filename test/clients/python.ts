import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { beforeEach } from 'vitest'

/** The Python client, in a Python that is on this machine. */
export const CLIENT = path.resolve(import.meta.dirname, '../../clients/python')

const OLDEST = [3, 10] as const

/**
 * Why its tests cannot run here; undefined where they can. A checkout needs git, npm and Node and
 * nothing else, so a machine without Python skips them and says so.
 */
export function whyNot(): string | undefined {
  const asked = 'import sys; print(*sys.version_info[:2])'
  const { error, stdout } = spawnSync('python3', ['-c', asked], { encoding: 'utf8' })
  if (error) return 'there is no python3 on this machine'
  const [major = 0, minor = 0] = stdout.trim().split(' ').map(Number)
  const isNew = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
  return isNew ? undefined : `python3 is ${major}.${minor}, and the client needs 3.10`
}

/** To be called before the tests of a file. */
export function skipsWithoutPython(): void {
  const reason = whyNot()
  if (reason === undefined) return
  process.stderr.write(`skipped: ${reason}\n`)
  beforeEach(({ skip }) => skip(reason))
}

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A module of the client or of its tests, as a process of its own. */
export function python(args: readonly string[], input = ''): Promise<Ran> {
  const child = spawn('python3', args, {
    cwd: CLIENT,
    env: {
      ...process.env,
      PYTHONPATH: `${path.join(CLIENT, 'src')}${path.delimiter}${CLIENT}`,
      PYTHONDONTWRITEBYTECODE: '1',
      COUNTERSIGN_NODE: process.execPath,
    },
  })
  const stdout: Buffer[] = []
  const stderr: Buffer[] = []
  child.stdout.on('data', (chunk) => stdout.push(chunk))
  child.stderr.on('data', (chunk) => stderr.push(chunk))
  child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      resolve({
        code,
        stdout: Buffer.concat(stdout).toString(),
        stderr: Buffer.concat(stderr).toString(),
      }),
    )
  })
}
