/**
 * `node scripts/run.mjs FILE …` sets the checkout up and runs FILE on its own Node. Every npm script
 * starts here, so a fresh clone needs no step before the first command.
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { SetupError, setUp } from './setup.mjs'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** @param {string} node @param {string[]} args */
function handOver(node, args) {
  const bin = path.join(root, 'node_modules', '.bin')
  const child = spawn(node, ['--conditions=countersign-source', ...args], {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` },
  })
  for (const signal of /** @type {const} */ (['SIGTERM', 'SIGHUP', 'SIGINT'])) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child too, and a second one would cut its goodbye short.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  stopWithNpm(() => child.kill('SIGTERM'))
  child.on('error', (error) => fail(`Node does not start: ${error.message}`, 'Install Node 24.'))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 1 : constants.signals[signal])
  })
}

/**
 * npm passes a signal to the shell between us, which dies of it without a word. Then our parent is
 * another one, and that is how we notice.
 * @param {() => void} stop
 */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    stop()
  }, 250)
  watch.unref()
}

/** @param {string} message @param {string} hint */
function fail(message, hint) {
  process.stderr.write(`set-up: ${message}\n${hint}\n`)
  process.exitCode = 1
}

const [file, ...args] = process.argv.slice(2)
if (file === undefined) {
  fail('no file to run.', 'Say which: node scripts/run.mjs FILE …')
} else {
  setUp(root).then(
    (node) => handOver(node, [path.resolve(root, file), ...args]),
    (error) => {
      if (!(error instanceof SetupError)) throw error
      fail(error.message, error.hint)
    },
  )
}
