import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { root } from './tool.ts'

/** For packages in CommonJS that ask for modules of Node. */
export const REQUIRE =
  "import { createRequire as csRequire } from 'node:module'; const require = csRequire(import.meta.url);"

/** Puts ink and react into the one file that the inbox in a terminal loads, with their licences. */
export function bundleInk(dist: string): Promise<void> {
  return bundle(dist, 'cli/terminal/ink')
}

/** The interpreter of the studio in the one file that a sandbox runs, and its module beside it. */
export async function bundleSandbox(dist: string): Promise<void> {
  await bundle(dist, 'studio/sandbox/child')
  const interpreter = createRequire(import.meta.url).resolve(
    '@jitl/quickjs-ng-wasmfile-release-sync/wasm',
  )
  cpSync(interpreter, path.join(dist, 'studio/sandbox', path.basename(interpreter)))
}

async function bundle(dist: string, module: string): Promise<void> {
  const { metafile } = await build({
    entryPoints: [path.join(root, `src/${module}.ts`)],
    outfile: path.join(dist, `${module}.js`),
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    minify: true,
    metafile: true,
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [withoutDevtools],
    banner: { js: REQUIRE },
  })
  writeLicences(path.join(dist, `${module}.LICENSES.txt`), metafile)
}

/** Of all packages that a bundle holds; `from` is where its inputs are named from. */
export function writeLicences(file: string, { inputs }: Metafile, from: string = root): void {
  const packages = new Set(Object.keys(inputs).flatMap(packageOf))
  const notices = [...packages].sort().map((folder) => noticeOf(path.join(from, folder)))
  writeFileSync(file, notices.join('\n'))
}

/** Ink loads them for its own developers, and they are not among its dependencies. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(bundler) {
    bundler.onResolve({ filter: /^react-devtools-core$/ }, ({ path: name }) => {
      return { path: name, namespace: 'nothing' }
    })
    bundler.onLoad({ filter: /./, namespace: 'nothing' }, () => ({
      contents: 'export default {}',
    }))
  },
}

/** `node_modules/@a/b/c.js` → `node_modules/@a/b`; nothing for files of ours. */
function packageOf(input: string): string[] {
  const [, folder] = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
  return folder === undefined ? [] : [folder]
}

function noticeOf(folder: string): string {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(folder, 'package.json'), 'utf8'),
  ) as { name: string; version: string; license: string }
  const names = ['license', 'LICENSE', 'LICENSE.md', 'license.md', 'LICENSE.txt', 'LICENSE-MIT']
  const found = names.map((one) => path.join(folder, one)).find(existsSync)
  const text = found === undefined ? '' : readFileSync(found, 'utf8').trim()
  return `${name} ${version} (${license})\n\n${text}\n`
}
