import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { urlBelow } from '../../base/net/url-below.ts'
import { usage } from '../failure.ts'
import { printable } from '../print/printable.ts'
import { apiAt, awayAt, cookieOf } from '../session.ts'
import type { Run, Shell } from '../shell.ts'
import { keepLogin } from '../state/kept-login.ts'

interface Options {
  readonly json?: boolean
}

export function addLogin(program: Command, run: Run): void {
  program
    .command('login')
    .description('Sign this terminal in to a server on another machine.')
    .argument('[url]', 'the server; else COUNTERSIGN_URL')
    .option('--json', 'print one JSON object at the end; the code goes to stderr')
    .addHelpText(
      'after',
      '\nPrints a code. Type it on the page that is named, where you are signed in. The session ends after' +
        '\n12 hours at most; with COUNTERSIGN_URL set, list, show, approve, deny and inbox use it.' +
        '\n\nExample:\n  $ countersign login https://countersign.example.com',
    )
    .action((url: string | undefined, options: Options) =>
      run((shell) => login(url, options, shell)),
    )
}

const EVERY_MS = 1_000

async function login(given: string | undefined, { json }: Options, shell: Shell): Promise<number> {
  const { out, err, env } = shell
  const url = readUrl(given ?? env.COUNTERSIGN_URL)
  const api = apiAt(url, undefined, awayAt(url))
  const begun = await api.call('POST /v1/login')
  const say = (text: string) => (json ? err : out).line(text)
  say(`Open ${printable(begun.url)} where you are signed in, and type this code:`)
  say(`  ${printable(begun.code)}`)
  for (;;) {
    const { body, headers } = await api.send('POST /v1/login/finish', {
      body: { secret: begun.secret },
    })
    if (!('csrf' in body)) {
      await sleep(EVERY_MS)
      continue
    }
    const { csrf, person } = body
    const file = keepLogin({ url, cookie: cookieOf(headers), csrf }, shell)
    const name = person.email ?? person.name ?? person.subject
    if (json) out.json({ url, person, file })
    else out.line(`Signed in as ${printable(name)}. Kept in ${file}; set COUNTERSIGN_URL=${url}`)
    return 0
  }
}

/** Without TLS the session could be stolen in transit; loopback traffic stays on this machine. */
function readUrl(text: string | undefined): string {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)) {
    return urlBelow(url.href, '/').href
  }
  throw usage(
    text === undefined ? 'which server?' : 'this is not an https address',
    'Name it: countersign login https://countersign.example.com',
  )
}
