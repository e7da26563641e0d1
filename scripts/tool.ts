import { spawn } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import path from 'node:path'

export const root = path.resolve(import.meta.dirname, '..')

export interface ToolRun {
  readonly ok: boolean
  readonly output: string
}

/** Runs a tool of node_modules/.bin and keeps its words for when it fails. `aside`: while others wait. */
export function runTool(
  tool: string,
  args: readonly string[],
  { aside = false } = {},
): Promise<ToolRun> {
  const windows = process.platform === 'win32'
  const command = path.join(root, 'node_modules', '.bin', windows ? `${tool}.cmd` : tool)
  const child = spawn(command, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: windows,
  })
  if (aside && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
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
