import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { type Browser, chromium, type LaunchOptions } from 'playwright-core'

const root = path.resolve(import.meta.dirname, '../..')

const ARGS = [
  // Root has no sandbox to step into, and the pages are our own.
  '--no-sandbox',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--no-pings',
  // Nothing but this machine: a page that reaches out fails its test.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
]

/**
 * The Chromium from npm, unpacked once per version into node_modules/.cache. Its own default place
 * is a fixed name in the temporary folder, where an older or half-written one may lie.
 */
async function unpackChromium(): Promise<string> {
  const manifest = path.join(root, 'node_modules/@sparticuz/chromium/package.json')
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const cache = path.join(root, 'node_modules/.cache/countersign')
  // The name ends with our own number: raise it when what is written beside the browser changes.
  const place = path.join(cache, `chromium-${version}-2`)
  if (existsSync(place)) return place

  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(path.join(cache, 'unpack-'))
  const program = "await (await import('@sparticuz/chromium')).default.executablePath()"
  try {
    writeFileSync(path.join(fresh, 'fonts.conf'), fontsConf(path.join(place, 'fonts')))
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      // It brings its own libraries only where it believes to be on Lambda.
      env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
    })
    renameSync(fresh, place)
  } catch (error) {
    // Another test file unpacked the same at the same time and was first.
    if (!existsSync(place)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return place
}

/**
 * Points the browser at the fonts it came with. Its own file looks for them on a machine of AWS,
 * and without any font Chromium ends as soon as a page has a form.
 */
function fontsConf(fonts: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${fonts}-cache</cachedir>
</fontconfig>
`
}

/** A real browser, without a window. COUNTERSIGN_TEST_CHROMIUM names another one to use. */
export async function launchBrowser(more: LaunchOptions = {}): Promise<Browser> {
  const own = process.env.COUNTERSIGN_TEST_CHROMIUM
  if (own !== undefined) return chromium.launch({ executablePath: own, args: ARGS, ...more })
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('set COUNTERSIGN_TEST_CHROMIUM to a Chromium: npm has none for this platform')
  }
  const place = await unpackChromium()
  return chromium.launch({
    ...more,
    executablePath: path.join(place, 'chromium'),
    args: ARGS,
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(place, 'al2023/lib'),
      FONTCONFIG_FILE: path.join(place, 'fonts.conf'),
    },
  })
}

let borrowed: Promise<Browser> | undefined

/**
 * The browser of this process, for one test file after the other: `giveBack` it where a file ends.
 * It ends with the process.
 */
export async function borrowBrowser(): Promise<Browser> {
  const known = await borrowed?.catch(() => undefined)
  if (known?.isConnected()) return known
  // The signals are those of the whole process: see leave-with-parent.ts.
  borrowed = launchBrowser({ handleSIGTERM: false })
  return borrowed
}

/** Closes all that was opened in it: a page that is left open goes on asking a server that is gone. */
export async function giveBack(browser: Browser | undefined): Promise<void> {
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? [])
}
