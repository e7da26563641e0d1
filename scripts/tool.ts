import { spawn } from 'node:child_process'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '..')

export interface ToolRun {
  readonly ok: boolean
  readonly output: string
}

/** Runs a tool of node_modules/.bin and keeps its words for when it fails. */
export function runTool(tool: string, args: readonly string[]): Promise<ToolRun> {
  const windows = process.platform === 'win32'
  const command = path.join(root, 'node_modules', '.bin', windows ? `${tool}.cmd` : tool)
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, output: error.message }))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}
