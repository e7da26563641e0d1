import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { REQUIRE, writeLicences } from './bundle.ts'

/** The command in a few files, side by side. `bin/countersign.js` knows their names. */
export const COMMAND = {
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  // Classes keep their names, and a module that is imported is run.
  keepNames: true,
  ignoreAnnotations: true,
  banner: { js: REQUIRE },
} as const satisfies BuildOptions

/**
 * Puts the hundreds of modules of the command into a few files: looking them up is most of what an
 * agent waits for when it starts a hook. So are packages of many files, whose versions are exact.
 */
export async function bundleCommand(dist: string): Promise<void> {
  const cli = path.join(dist, 'cli')
  const outdir = path.join(dist, 'command')
  const { metafile } = await build({
    ...COMMAND,
    entryPoints: { main: path.join(cli, 'main.js'), hook: path.join(cli, 'hook/main.js') },
    // Names of files hold hashes of paths from here: the same in each folder that is built in.
    absWorkingDir: dist,
    preserveSymlinks: true,
    outdir,
    target: 'node22',
    minify: true,
    metafile: true,
    legalComments: 'none',
    plugins: [
      apart,
      packagesOfManyFiles,
      besideModules((file) => ({ url: addressFrom(outdir, file) })),
    ],
  })
  writeLicences(path.join(outdir, 'LICENSES.txt'), metafile, dist)
  // Node reads the nearest one for each file that it loads, and the one of the package is large.
  writeFileSync(path.join(outdir, 'package.json'), '{ "type": "module" }\n')
  // All of it is in the files now, but for what stays apart.
  for (const { name, parentPath } of readdirSync(cli, { recursive: true, withFileTypes: true })) {
    if (/(?<!^ink)(?:\.d\.ts|\.js)$/.test(name)) rmSync(path.join(parentPath, name))
  }
}

/** Ink is put into a file of its own, with its licences. */
const apart: Plugin = {
  name: 'apart',
  setup(bundler) {
    bundler.onResolve({ filter: /^\.\/ink\.js$/ }, () => {
      return { path: '../cli/terminal/ink.js', external: true }
    })
  },
}

/** All others are found where they are installed, also those that users bring. */
export const packagesOfManyFiles: Plugin = {
  name: 'packages-of-many-files',
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path: name, kind, importer }) => {
      const isOurs = !importer.includes('node_modules')
      return kind === 'entry-point' || !isOurs || INSIDE.test(name)
        ? null
        : { path: name, external: true }
    })
  },
}
const INSIDE = /^(?:@hono\/node-server|commander|hono|jose|valibot|yaml)(?:\/|$)/

/** Holds the text of a module, which is to say where that one is. */
const WRITES_CODE = /opencode-plugin\.[jt]s$/

/** Expressions for where a module is. */
interface Whereabouts {
  readonly url: string
  /** Only programs of the tests ask for it. */
  readonly dirname?: string
}

/** What stands beside a module, such as the inbox and the sandbox, is found where the module was. */
export function besideModules(whereIs: (file: string) => Whereabouts): Plugin {
  return {
    name: 'beside-modules',
    setup(bundler) {
      bundler.onLoad({ filter: /\.[jt]s$/ }, ({ path: file }) => {
        if (file.includes('node_modules')) return undefined
        const text = readFileSync(file, 'utf8')
        const { url, dirname = 'import.meta.dirname' } = whereIs(file)
        const contents = WRITES_CODE.test(file)
          ? text
          : text
              .replaceAll('import.meta.url', () => url)
              .replaceAll('import.meta.dirname', () => dirname)
        return { contents, loader: file.endsWith('.ts') ? 'ts' : 'js' }
      })
    },
  }
}

function addressFrom(folder: string, file: string): string {
  const way = path.relative(folder, file).replaceAll(path.sep, '/')
  return `new URL(${JSON.stringify(way)}, import.meta.url).href`
}
