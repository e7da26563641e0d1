import type { Starter } from '../claude-code/settings.ts'
import { WAIT } from './start.ts'

/** From the folder of the project. OpenCode loads every file in there. */
export const PLUGIN_FILE = '.opencode/plugin/countersign.js'

/**
 * A plugin that imports no package: OpenCode goes on without a plugin that it cannot load. An error
 * thrown before a call keeps the call from running, and the model reads it.
 */
export function opencodePlugin(starter: Starter): string {
  const start =
    starter.by === 'npx'
      ? "['npx', ['countersign']]"
      : `['node', [path.resolve(root, ${JSON.stringify(starter.file)})]]`
  return `// Written by \`countersign init opencode\`: asks Countersign before every tool call runs.
import { spawn } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const [program, start] = ${start}

function hook(event, more = []) {
  return new Promise((resolve, reject) => {
    const block = (why) => reject(new Error(\`Countersign blocked this call: \${why}\`))
    const child = spawn(program, [...start, 'hook', 'opencode', '--project', root, ...more], { cwd: root })
    let out = ''
    let err = ''
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    child.stdin.on('error', () => {})
    child.on('error', (error) => block(error.message))
    child.on('close', (code) => {
      if (code !== 0) return block(err.trim() || \`its hook ended with \${code}\`)
      try {
        resolve(JSON.parse(out))
      } catch {
        block('its hook answered nonsense')
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const Countersign = async ({ directory }) => ({
  'tool.execute.before': async ({ tool, sessionID, callID }, output) => {
    const { args } = output
    const event = { event: 'tool.execute.before', tool, sessionID, callID, args, directory }
    const said = await hook(event, ['--wait', '${WAIT}'])
    if (said?.decision === 'none') return
    const approved = said?.decision === 'allow' ? said.args : undefined
    if (typeof approved !== 'object' || approved === null || Array.isArray(approved)) {
      throw new Error(said?.reason ?? 'Countersign blocked this call: its hook answered nonsense')
    }
    // OpenCode runs the very object that it handed over.
    for (const key of Object.keys(args)) delete args[key]
    Object.assign(args, approved)
  },
  'tool.execute.after': async ({ tool, sessionID, callID }) => {
    const event = { event: 'tool.execute.after', tool, sessionID, callID, args: {}, directory }
    await hook(event).catch(() => {})
  },
})
`
}

/** What lets calls through: a plugin that was changed is no longer the one that was tested. */
export function pluginDoors(text: string): string[] {
  const [, file] = /path\.resolve\(root, ("(?:[^"\\]|\\.)*")\)/.exec(text) ?? []
  const starter: Starter =
    file === undefined ? { by: 'npx' } : { by: 'node', file: JSON.parse(file) }
  return text === opencodePlugin(starter) ? [] : [`${PLUGIN_FILE} is not as Countersign wrote it`]
}
