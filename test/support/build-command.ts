import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type OutputFile, type Plugin } from 'esbuild'
import { besideModules, COMMAND, packagesOfManyFiles } from '../../scripts/bundle-command.ts'

const root = path.resolve(import.meta.dirname, '../..')
const BIN = 'bin/countersign.js'
const COMMANDS = path.join(root, 'node_modules/.cache/command')
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * The command in a few files, laid out as the package is. Tests start it hundreds of times, and a
 * start from source spends most of its time on looking up hundreds of modules.
 *
 * It is built from the source as it stands, every time. The folder is named by what is in it, so no
 * run starts the command of another one, and what Node compiled of it serves the next run.
 */
export async function buildCommand(): Promise<string> {
  const folder = await kept({ main: 'src/cli/main.ts', hook: 'src/cli/hook/main.ts' }, [
    packagesOfManyFiles,
  ])
  return path.join(folder, BIN)
}

/** A program of the tests in the same way and by its own name; `whole` with all the packages that it uses. */
export async function buildProgram(file: string, whole: boolean): Promise<string> {
  const { name } = path.parse(file)
  const folder = await kept({ [name]: file }, whole ? [] : [packagesOfManyFiles])
  return path.join(folder, 'dist/command', `${name}.js`)
}

/** The folder with what these files become. */
async function kept(
  entryPoints: Readonly<Record<string, string>>,
  plugins: readonly Plugin[],
): Promise<string> {
  const outdir = path.join(root, 'dist/command')
  const { outputFiles } = await build({
    ...COMMAND,
    entryPoints,
    absWorkingDir: root,
    outdir,
    target: 'node24',
    conditions: ['countersign-source'],
    plugins: [whereTheSourceIs, ...plugins],
    write: false,
  })
  const folder = path.join(COMMANDS, digestOf(outputFiles))
  if (!existsSync(folder)) writeCommand(folder, outdir, outputFiles)
  utimesSync(folder, new Date(), new Date())
  removeOld(COMMANDS)
  return folder
}

/** Files that stand beside a module, such as the inbox and the sandbox, are found where they are. */
const whereTheSourceIs = besideModules((file) => ({
  url: JSON.stringify(pathToFileURL(file).href),
  dirname: JSON.stringify(path.dirname(file)),
}))

function digestOf(files: readonly OutputFile[]): string {
  const hash = createHash('sha256').update(readFileSync(path.join(root, BIN)))
  for (const file of files)
    hash.update(`${file.path}\0${file.contents.length}\0`).update(file.contents)
  return hash.digest('hex').slice(0, 32)
}

/** Under another name first: a folder of that name is a whole one. */
function writeCommand(folder: string, outdir: string, files: readonly OutputFile[]): void {
  mkdirSync(path.dirname(folder), { recursive: true })
  const unfinished = mkdtempSync(`${folder}-`)
  for (const file of files) {
    const target = path.join(unfinished, 'dist/command', path.relative(outdir, file.path))
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, file.contents)
  }
  mkdirSync(path.join(unfinished, 'bin'))
  copyFileSync(path.join(root, BIN), path.join(unfinished, BIN))
  writeFileSync(path.join(unfinished, 'package.json'), '{ "type": "module" }\n')
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true })
    // Another run was faster.
    if (!existsSync(folder)) throw error
  }
}

/** No run takes a day. */
function removeOld(commands: string): void {
  for (const name of readdirSync(commands)) {
    const folder = path.join(commands, name)
    const made = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()
    if (made < Date.now() - DAY_MS) rmSync(folder, { recursive: true, force: true })
  }
}
