import { spawnSync } from 'node:child_process'
import { root } from '../tool.ts'

export interface Ran {
  readonly ok: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Runs git, npm or node and waits. Their words on standard error are kept for when they fail. */
export function run(command: string, args: readonly string[], cwd: string = root): Ran {
  const { status, stdout, stderr } = spawnSync(command, args, {
    ...{ cwd, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
    shell: process.platform === 'win32',
  })
  return { ok: status === 0, stdout: stdout ?? '', stderr: stderr ?? '' }
}

export function mustRun(command: string, args: readonly string[], cwd: string = root): string {
  const { ok, stdout, stderr } = run(command, args, cwd)
  if (!ok) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr || stdout}`)
  return stdout
}
