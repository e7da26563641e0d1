import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { usage } from '../failure.ts'
import type { Shell } from '../shell.ts'

/** Settings that hold a secret. Each may come from a file, named by the same name with `_FILE`. */
export const SECRET_SETTINGS = [
  'COUNTERSIGN_DB',
  'COUNTERSIGN_OIDC_CLIENT_SECRET',
  'COUNTERSIGN_METRICS_TOKEN',
  'COUNTERSIGN_SMTP_URL',
  'COUNTERSIGN_SLACK_BOT_TOKEN',
  'COUNTERSIGN_SLACK_APP_TOKEN',
  'COUNTERSIGN_SLACK_SIGNING_SECRET',
  'COUNTERSIGN_DISCORD_BOT_TOKEN',
  'COUNTERSIGN_TEAMS_APP_PASSWORD',
  'COUNTERSIGN_TELEGRAM_BOT_TOKEN',
  'COUNTERSIGN_TELEGRAM_WEBHOOK_SECRET',
  'COUNTERSIGN_NTFY_TOKEN',
] as const

/** Far beyond any secret: a wrong path must not be read without end. */
const MOST_BYTES = 65_536

/** The shell with what the files hold. Containers and systemd hand secrets over as files. */
export function withSecretFiles(shell: Shell): Shell {
  const read = SECRET_SETTINGS.flatMap((name) => {
    const file = shell.env[`${name}_FILE`]
    if (file === undefined || file === '') return []
    if (shell.env[name]) {
      throw usage(
        `${name} and ${name}_FILE are both set`,
        'Set one of them, so that it is clear which counts.',
      )
    }
    return [[name, readSecret(`${name}_FILE`, path.resolve(shell.cwd, file))] as const]
  })
  return read.length === 0
    ? shell
    : { ...shell, env: { ...shell.env, ...Object.fromEntries(read) } }
}

/** Editors and `echo` leave a line break at the end, which is not part of a secret. */
function readSecret(setting: string, file: string): string {
  let text: string
  try {
    text = beginningOf(file).replace(/\r?\n$/, '')
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw usage(`${setting} cannot be read (${why})`, 'Name a file that this user may read.')
  }
  if (text === '' || Buffer.byteLength(text) > MOST_BYTES || /[\r\n\0]/.test(text)) {
    throw usage(`${setting} names no file with one line`, 'Put the secret alone into the file.')
  }
  return text
}

/** All of it, or one byte more than a secret may have: devices and pipes need not end. */
function beginningOf(file: string): string {
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  const opened = openSync(file, 'r')
  try {
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(opened, bytes, length, bytes.length - length, null)
    }
    return bytes.toString('utf8', 0, length)
  } finally {
    closeSync(opened)
  }
}
