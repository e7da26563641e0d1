import { spawn } from 'node:child_process'
import path from 'node:path'

export interface RunningPostgres {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** A real Postgres, empty, that ends with this process at the latest. */
export async function startPostgres(): Promise<RunningPostgres> {
  const program = path.join(import.meta.dirname, 'postgres-process.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const url = await new Promise<string>((resolve, reject) => {
    let out = ''
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += chunk
    })
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (out.includes('\n')) resolve((JSON.parse(out) as { url: string }).url)
    })
    child.once('error', reject)
    child.once('close', (code) => reject(new Error(`no Postgres (exit ${code}): ${errors}`)))
  })
  return {
    url,
    stop: () => {
      child.stdin.end()
      return ended
    },
  }
}
