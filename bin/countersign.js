#!/usr/bin/env node
// Syntax and modules of old Node releases only: this file must load there to say what is wrong.
// biome-ignore-all lint/style/useNodejsImportProtocol: Node before 14 does not know `node:`.
import fs from 'fs'
import path from 'path'
import { fileURLToPath } from 'url'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const source = path.join(root, 'src', 'cli', 'main.ts')
// The published package carries no src: it is there in a checkout only.
const checkout = fs.existsSync(source)

// A hook that fails with anything but 2 lets the call run that it was asked about.
const failed = process.argv[2] === 'hook' ? 2 : 1

// A checkout runs its TypeScript as it is, which older Nodes cannot.
const oldest = checkout ? 24 : 22.13
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major + minor / 100 < oldest) {
  process.stderr.write(
    'node_too_old: Countersign needs Node ' +
      oldest +
      ' or newer; this is ' +
      process.version +
      '.\n' +
      (checkout
        ? 'In this checkout use `npm start`, which brings its own Node; then `npx countersign` works too.\n'
        : 'Install Node 24, then run the same command again.\n'),
  )
  process.exitCode = failed
} else {
  // Runs before every call of a coding agent, so it does not load the other commands.
  const isHook = process.argv[2] === 'hook'
  const entry = checkout
    ? `../src/cli/${isHook ? 'hook/main' : 'main'}.ts`
    : `../dist/command/${isHook ? 'hook' : 'main'}.js`
  import(entry).then(
    (cli) =>
      cli.main(process.argv.slice(2)).then((/** @type {number} */ code) => {
        process.exitCode = code
      }),
    (error) => {
      const notInstalled = checkout && !fs.existsSync(path.join(root, 'node_modules'))
      if (!notInstalled) {
        process.exitCode = failed
        process.stderr.write(`internal: ${error instanceof Error ? error.stack : error}\n`)
        return
      }
      process.stderr.write(
        'not_installed: The dependencies of this checkout are not installed.\n' +
          'Use `npm start`, which installs them, or run `npm ci` first.\n',
      )
      process.exitCode = failed
    },
  )
}
