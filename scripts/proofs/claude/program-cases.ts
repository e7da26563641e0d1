import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { root, runTool } from '../../tool.ts'
import type { Installed } from './install.ts'
import { environment, type Place } from './place.ts'
import { prove } from './prove.ts'
import { scriptedModel } from './scripted-model.ts'

/** Programs that import the SDK by its name: what they say of its types, and what they do. */
export async function provePrograms({ folder }: Installed, place: Place): Promise<void> {
  const sdk = path.join(folder, 'node_modules', '@anthropic-ai', 'claude-agent-sdk')
  const example = path.join(root, 'examples', 'claude-agent-sdk', 'main.ts')

  await prove('the types of the adapter fit those of the SDK', async () => {
    const config = path.join(folder, 'tsconfig.json')
    const compilerOptions = {
      paths: { '@anthropic-ai/claude-agent-sdk': [path.join(sdk, 'sdk.d.ts')] },
      typeRoots: [path.join(root, 'node_modules', '@types')],
    }
    const files = [path.join(import.meta.dirname, 'types.ts'), example]
    const whole = { extends: path.join(root, 'tsconfig.json'), compilerOptions, files, include: [] }
    writeFileSync(config, JSON.stringify({ ...whole, exclude: [] }))
    const { ok, output } = await runTool('tsc', ['-p', config])
    assert.ok(ok, output)
  })

  await prove('the example runs', async () => {
    const input = { to: 'Lena', amount: 40 }
    const model = await scriptedModel([
      [{ id: 'c1', name: 'mcp__bank__pay', input }],
      'Lena has her money.',
    ])
    const preload = path.join(import.meta.dirname, 'find-sdk.ts')
    const args = ['--conditions=countersign-source', '--import', pathToFileURL(preload).href]
    const env = {
      ...environment(place, model.url),
      CLAUDE_SDK: pathToFileURL(path.join(sdk, 'sdk.mjs')).href,
    }
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [...args, example], { env })
      assert.match(stdout, /The run waits with mcp__bank__pay/)
      assert.match(stdout, /The model says: Lena has her money\.\nAna said yes; paid once\./)
    } finally {
      await model.close()
    }
  })
}
