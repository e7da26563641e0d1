/**
 * Makes node_modules match package-lock.json: once, by one process at a time, and not at all when
 * nothing changed. Plain JavaScript without dependencies, because it runs on whatever Node the
 * machine has (16 or newer), before anything is installed.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { lockFolder } from './folder-lock.mjs'

const STAMP = 'node_modules/.countersign-setup'
const REQUIRED_NODE = 24

/** Set-up could not finish. `hint` says what to do next. */
export class SetupError extends Error {
  /** @param {string} message @param {string} hint */
  constructor(message, hint) {
    super(message)
    this.name = 'SetupError'
    this.hint = hint
  }
}

/**
 * @typedef {object} Facts
 * @property {string} wanted what the stamp must say
 * @property {string | undefined} stamp what it says
 * @property {boolean} nodeFound a Node that is new enough is there
 * @property {boolean} treeMatches npm's own record of node_modules agrees with the lockfile
 */

/**
 * `stamp` means that someone has run npm by hand: the work is done and only needs noting.
 * @param {Facts} facts
 * @returns {'ready' | 'stamp' | 'install'}
 */
export function planSetup(facts) {
  if (!facts.nodeFound) return 'install'
  if (facts.stamp === facts.wanted) return 'ready'
  return facts.treeMatches ? 'stamp' : 'install'
}

/**
 * @typedef {{ version?: string, integrity?: string, link?: boolean, optional?: boolean }} LockEntry
 * @typedef {{ packages?: Record<string, LockEntry> }} Lockfile
 */

/**
 * Optional packages may be absent: npm leaves out those of other platforms.
 * @param {Lockfile} lockfile
 * @param {Lockfile | undefined} installed npm's record, node_modules/.package-lock.json
 */
export function treeMatches(lockfile, installed) {
  const found = installed?.packages
  if (found === undefined) return false
  return Object.entries(lockfile.packages ?? {}).every(([place, entry]) => {
    if (!place.startsWith('node_modules/')) return true
    const here = found[place]
    if (here === undefined) return entry.optional === true
    return here.version === entry.version && here.integrity === entry.integrity
  })
}

/**
 * The Node to run the project on: the one npm installed, or this one when it is new enough.
 * @param {string} root
 * @returns {string | undefined}
 */
export function findNode(root) {
  const file = process.platform === 'win32' ? 'node.exe' : 'bin/node'
  const installed = ['node', 'node-bin']
    .map((prefix) => `${prefix}-${process.platform === 'win32' ? 'win' : process.platform}`)
    .map((name) => path.join(root, 'node_modules', `${name}-${process.arch}`, file))
    .find((candidate) => fs.existsSync(candidate))
  if (installed !== undefined) return installed
  return Number.parseInt(process.versions.node, 10) >= REQUIRED_NODE ? process.execPath : undefined
}

/** @param {string} file */
function readText(file) {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** @param {string} root @returns {Lockfile | undefined} */
function readInstalledTree(root) {
  try {
    return JSON.parse(readText(path.join(root, 'node_modules/.package-lock.json')) ?? '')
  } catch {
    return undefined
  }
}

/** @param {string} root @returns {Facts & { lockfile: Lockfile }} */
function gatherFacts(root) {
  const text = readText(path.join(root, 'package-lock.json'))
  if (text === undefined) {
    throw new SetupError(
      'package-lock.json is missing.',
      'Restore it: git checkout package-lock.json',
    )
  }
  const lockfile = JSON.parse(text)
  const digest = createHash('sha256').update(text).digest('hex')
  // The platform, and with the lockfile the version of Node: a copied checkout installs its own.
  const wanted = `${process.platform}-${process.arch} ${digest}\n`
  const stamp = readText(path.join(root, STAMP))
  return {
    lockfile,
    wanted,
    stamp,
    nodeFound: findNode(root) !== undefined,
    // Only read when it can matter: the quick answer must stay quick.
    treeMatches: stamp !== wanted && treeMatches(lockfile, readInstalledTree(root)),
  }
}

/**
 * Known causes of a failed install, and the next step for each.
 * @param {string} output what npm printed
 */
export function explainFailure(output) {
  if (/^npm error signal SIG/m.test(output)) {
    return new SetupError('The install was interrupted.', 'Run the same command again.')
  }
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)) {
    return new SetupError(
      'npm could not reach its registry, and its cache does not hold everything.',
      'Connect to the network (or check `npm config get registry`), then run the same command again.',
    )
  }
  if (/EUSAGE|can only install packages when your package\.json/.test(output)) {
    return new SetupError(
      'package.json and package-lock.json do not agree.',
      'Run `npm install`, commit package-lock.json, then run the same command again.',
    )
  }
  if (/ENOSPC/.test(output)) {
    return new SetupError('The disk is full.', 'Free 1 GB, then run the same command again.')
  }
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return new SetupError(
      'npm may not write here.',
      'Make the checkout and the npm cache writable for this user, then run the same command again.',
    )
  }
  return new SetupError(
    'npm could not install the dependencies; its own words are above.',
    'Mend that, then run the same command again.',
  )
}

/** @param {string} root @returns {Promise<void>} */
async function runNpmCi(root) {
  // No install scripts: nothing here needs one, and npm releases differ in whether they run them.
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // The cache first, and a minute less of silence when there is no network.
  const network = [
    '--prefer-offline',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=4000',
  ]
  const command = ['ci', ...flags, ...network]
  // Under `npm run`, the npm in use and the Node it runs on. Not the Node of this process: that one
  // may live in the very node_modules that npm is about to replace.
  const { npm_execpath: npm, npm_node_execpath: node } = process.env
  const known = npm !== undefined && /npm-cli\.[cm]?js$/.test(npm)
  const child = known
    ? spawn(node ?? process.execPath, [npm, ...command], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    : spawn('npm', command, {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        shell: process.platform === 'win32',
      })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal)
  process.on('SIGINT', pass).on('SIGTERM', pass)
  const [code, signal] = await new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(new SetupError('npm was not found.', 'Install npm and put it into your PATH.')),
    )
    child.on('close', (...ended) => resolve(ended))
  })
  process.off('SIGINT', pass).off('SIGTERM', pass)
  if (code === 0) return
  process.stderr.write(output)
  throw explainFailure(signal === null ? output : `npm error signal ${signal}`)
}

/**
 * @param {string} root the checkout
 * @param {{ install?: (root: string) => Promise<void>, say?: (line: string) => void }} [options]
 * @returns {Promise<string>} the Node to use from here on
 */
export async function setUp(root, options = {}) {
  const { install = runNpmCi, say = (line) => process.stderr.write(`${line}\n`) } = options
  if (planSetup(gatherFacts(root)) !== 'ready') {
    const unlock = await lockFolder(path.join(root, '.setup-lock'), () =>
      say('Another process is setting up this checkout; waiting for it.'),
    )
    try {
      await setUpAlone(root, install, say)
    } finally {
      unlock()
    }
  }
  const node = findNode(root)
  if (node !== undefined) return node
  throw new SetupError(
    `This needs Node ${REQUIRED_NODE}; here is ${process.version}, and npm has none for ${process.platform}-${process.arch} in our lockfile.`,
    `Install Node ${REQUIRED_NODE} or newer, then run the same command again.`,
  )
}

/**
 * Asked again under the lock: whoever held it before may have done the work.
 * @param {string} root
 * @param {(root: string) => Promise<void>} install
 * @param {(line: string) => void} say
 */
async function setUpAlone(root, install, say) {
  const facts = gatherFacts(root)
  const plan = planSetup(facts)
  if (plan === 'ready') return
  if (plan === 'install') {
    const count = Object.keys(facts.lockfile.packages ?? {}).length
    say(
      `Setting up: npm installs ${count} packages, Node ${REQUIRED_NODE} among them. Once, about a minute.`,
    )
    const start = Date.now()
    // First, so that an interrupted install is never taken for a finished one.
    fs.rmSync(path.join(root, STAMP), { force: true })
    await install(root)
    say(`Set up in ${Math.round((Date.now() - start) / 1000)} s.`)
  }
  fs.mkdirSync(path.join(root, 'node_modules'), { recursive: true })
  fs.writeFileSync(path.join(root, STAMP), facts.wanted)
}
