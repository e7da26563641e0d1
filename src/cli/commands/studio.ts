import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { WireToolSpec } from '../../api/studio/studio.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { withSession } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../state/open-store.ts'

interface Options extends DatabaseOptions {
  readonly json?: boolean
}

const NAME = /^[a-z][a-z0-9_]*$/
const EXTENSIONS = { typescript: '.ts', javascript: '.js' } as const

export function addStudio(program: Command, run: Run): void {
  const studio = program
    .command('studio')
    .description('Tools of the studio as files, for people who keep them in git.')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  $ countersign studio export tools')
  takesDatabase(studio.command('export'))
    .description('Write every draft as NAME.ts or NAME.js with a manifest, NAME.json.')
    .argument('<folder>')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign studio export tools')
    .action((folder: string, options: Options) => run((shell) => write(folder, options, shell)))
  takesDatabase(studio.command('import'))
    .description('Save files as drafts. Publishing stays a step of its own.')
    .argument('<folder>')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  $ countersign studio import tools')
    .action((folder: string, options: Options) => run((shell) => read(folder, options, shell)))
}

function write(folder: string, options: Options, shell: Shell): Promise<number> {
  const target = path.resolve(shell.cwd, folder)
  return withSession(options, shell, async (api) => {
    const { tools } = await api.call('GET /v1/studio/tools')
    mkdirSync(target, { recursive: true })
    for (const { name } of tools) {
      // It becomes the name of a file.
      if (!NAME.test(name))
        throw usage(`the server names a tool ${JSON.stringify(name)}`, 'Ask its operator.')
      const { spec } = await api.call('GET /v1/studio/tools/:name', { params: { name } })
      const { source, language, ...manifest } = spec
      writeFileSync(path.join(target, `${name}${EXTENSIONS[language]}`), source)
      writeFileSync(path.join(target, `${name}.json`), `${JSON.stringify(manifest, null, 2)}\n`)
    }
    return told(
      `${tools.length} written to ${folder}`,
      tools.map(({ name }) => name),
      options,
      shell,
    )
  })
}

function read(folder: string, options: Options, shell: Shell): Promise<number> {
  const found = toolFiles(path.resolve(shell.cwd, folder))
  if (found.length === 0) {
    throw usage(`${folder} holds no tools`, 'A tool is NAME.ts or NAME.js beside NAME.json.')
  }
  return withSession(options, shell, async (api) => {
    const { tools } = await api.call('GET /v1/studio/tools')
    const names = new Set(tools.map(({ name }) => name))
    const saved: string[] = []
    for (const { name, spec } of found) {
      const known = names.has(name)
        ? await api.call('GET /v1/studio/tools/:name', { params: { name } })
        : undefined
      // Only what differs: a draft that others look at keeps its revision.
      if (known && canonicalJson(known.spec) === canonicalJson(spec)) continue
      const body = { spec, ...(known ? { revision: known.revision } : {}) }
      await api.call('PUT /v1/studio/tools/:name', { params: { name }, body })
      saved.push(name)
    }
    return told(`${saved.length} of ${found.length} saved as drafts`, saved, options, shell)
  })
}

function told(words: string, tools: readonly string[], { json }: Options, { out }: Shell): number {
  if (json) out.json({ tools })
  else {
    out.line(`${words}.`)
    for (const name of tools) out.line(`  ${printable(name)}`)
  }
  return 0
}

interface ToolFile {
  readonly name: string
  readonly spec: WireToolSpec
}

/** Each manifest with its source. The server checks what they say. */
function toolFiles(folder: string): ToolFile[] {
  if (!existsSync(folder)) throw usage(`${folder} is not there`, 'Name a folder with tools.')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const name = file.slice(0, -'.json'.length)
      const language = existsSync(path.join(folder, `${name}.ts`)) ? 'typescript' : 'javascript'
      const source = path.join(folder, `${name}${EXTENSIONS[language]}`)
      if (!existsSync(source)) {
        throw usage(`${file} has no source beside it`, `Write ${name}.ts or ${name}.js.`)
      }
      return { name, spec: specOf(path.join(folder, file), readFileSync(source, 'utf8'), language) }
    })
}

function specOf(
  manifest: string,
  source: string,
  language: WireToolSpec['language'],
): WireToolSpec {
  try {
    const { description, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'))
    return { description, language, source, ...rest } as WireToolSpec
  } catch {
    throw usage(`${manifest} is not JSON`, 'Export a tool to see what a manifest looks like.')
  }
}
