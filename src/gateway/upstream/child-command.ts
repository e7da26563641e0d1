/** What a process is started with, which differs between platforms. Nothing here starts one. */

type Env = Readonly<Record<string, string | undefined>>

export interface Spawnable {
  readonly command: string
  readonly args: readonly string[]
  /** Windows: the arguments are quoted already. */
  readonly isVerbatim: boolean
}

/** Enough to start, no secrets. */
const PLAIN = ['HOME', 'LANG', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER', 'TZ']
/** Without these, neither node nor npx starts on Windows. */
const PLAIN_WINDOWS = [
  ...[
    'PATH',
    'PATHEXT',
    'COMSPEC',
    'SYSTEMROOT',
    'SYSTEMDRIVE',
    'WINDIR',
    'TEMP',
    'TMP',
    'LANG',
    'TZ',
  ],
  ...['USERPROFILE', 'USERNAME', 'HOMEDRIVE', 'HOMEPATH', 'APPDATA', 'LOCALAPPDATA'],
  ...['PROGRAMDATA', 'PROGRAMFILES', 'PROGRAMFILES(X86)', 'PROCESSOR_ARCHITECTURE'],
]

/** What a command gets of our environment when a file names it. */
export function plainEnv(own: Env, platform: NodeJS.Platform): Record<string, string> {
  const isWindows = platform === 'win32'
  const names = new Set(isWindows ? PLAIN_WINDOWS : PLAIN)
  return defined(own, (name) => names.has(isWindows ? name.toUpperCase() : name))
}

/** Where npm finds things, as opposed to what it was told to run. */
const NPM_PLACES =
  /^npm_config_(?:registry|userconfig|globalconfig|cache|cafile|https?_proxy|proxy|noproxy|strict_ssl|offline|prefer_offline)$/

/**
 * What a command line gets: the environment it would have without us. `npx -p countersign …` tells
 * us what to run by variables, and an npx behind us would take that for its own orders.
 */
export function inheritedEnv(own: Env): Record<string, string> {
  return defined(
    own,
    (name) => !/^COUNTERSIGN_/i.test(name) && (!name.startsWith('npm_') || NPM_PLACES.test(name)),
  )
}

function defined(env: Env, wanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && wanted(entry[0]),
    ),
  )
}

export interface Machine {
  readonly platform: NodeJS.Platform
  readonly env: Env
  exists(file: string): boolean
}

/**
 * Windows starts programs and nothing else: `npx` there is a script, `npx.cmd`, for `cmd.exe`, which
 * reads its own signs out of every argument unless they are escaped.
 */
export function spawnable(
  command: string,
  args: readonly string[],
  { platform, env, exists }: Machine,
): Spawnable {
  if (platform !== 'win32') return { command, args, isVerbatim: false }
  const file = found(command, env, exists)
  if (!/\.(?:cmd|bat)$/i.test(file)) return { command: file, args, isVerbatim: false }
  // A shim of node_modules hands its arguments to cmd.exe once more.
  const rounds = /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(file) ? 2 : 1
  const line = [escaped(file), ...args.map((arg) => quoted(arg, rounds))].join(' ')
  const shell = named(env, 'COMSPEC') ?? 'cmd.exe'
  return { command: shell, args: ['/d', '/s', '/c', `"${line}"`], isVerbatim: true }
}

function found(command: string, env: Env, exists: (file: string) => boolean): string {
  const hasEnding = /\.[A-Za-z0-9]{1,4}$/.test(command)
  const endings = (named(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';')
  const names = [...(hasEnding ? [command] : []), ...endings.map((end) => `${command}${end}`)]
  const isPath = /[\\/]/.test(command)
  const folders = isPath ? [''] : (named(env, 'PATH') ?? '').split(';').filter((one) => one !== '')
  for (const folder of folders) {
    const start = folder === '' ? '' : `${folder.replace(/[\\/]+$/, '')}\\`
    const file = names.map((name) => `${start}${name}`).find(exists)
    if (file !== undefined) return file
  }
  return command
}

function named(env: Env, name: string): string | undefined {
  return Object.entries(env).find(([one]) => one.toUpperCase() === name)?.[1]
}

function escaped(text: string): string {
  return text.replaceAll(/[()\][%!^"`<>&|;, *?]/g, '^$&')
}

function quoted(arg: string, rounds: number): string {
  // Backslashes count only before a quote, and the one that ends the argument is ours.
  const text = arg.replaceAll(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')
  let line = `"${text}"`
  for (let round = 0; round < rounds; round++) line = escaped(line)
  return line
}
