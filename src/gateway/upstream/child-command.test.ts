import { expect, test } from 'vitest'
import { inheritedEnv, plainEnv, spawnable } from './child-command.ts'

const NODE = 'C:\\Program Files\\nodejs'
const env = { Path: `C:\\Windows;${NODE}\\`, PATHEXT: '.COM;.EXE;.CMD', ComSpec: 'C:\\cmd.exe' }
const files = [`${NODE}\\npx.CMD`, `${NODE}\\node.EXE`, 'C:\\p\\node_modules\\.bin\\serve.cmd']
const windows = { platform: 'win32' as const, env, exists: (file: string) => files.includes(file) }

test('elsewhere than on Windows a command is started as it is written', () => {
  const args = ['-y', 'a b', '"', '%PATH%']
  expect(spawnable('npx', args, { ...windows, platform: 'linux' })).toEqual({
    command: 'npx',
    args,
    isVerbatim: false,
  })
})

test('on Windows a script goes through cmd.exe, every argument escaped', () => {
  expect(spawnable('npx', ['-y', 'a&b', '%PATH%', 'say "hi"\\'], windows)).toEqual({
    command: 'C:\\cmd.exe',
    args: [
      '/d',
      '/s',
      '/c',
      '"C:\\Program^ Files\\nodejs\\npx.CMD ^"-y^" ^"a^&b^" ^"^%PATH^%^" ^"say^ \\^"hi\\^"\\\\^""',
    ],
    isVerbatim: true,
  })
})

test('on Windows a shim of node_modules is escaped for both of its readers', () => {
  const { args } = spawnable('C:\\p\\node_modules\\.bin\\serve.cmd', ['a&b'], windows)
  expect(args[3]).toBe('"C:\\p\\node_modules\\.bin\\serve.cmd ^^^"a^^^&b^^^""')
})

test('on Windows a program is started without a shell, and an unknown one as it is written', () => {
  expect(spawnable('node', ['a&b'], windows)).toEqual({
    command: `${NODE}\\node.EXE`,
    args: ['a&b'],
    isVerbatim: false,
  })
  expect(spawnable('nowhere', [], windows)).toMatchObject({ command: 'nowhere', isVerbatim: false })
})

test('a plain environment holds what a program needs to start, however Windows spells it', () => {
  const own = {
    ...env,
    SystemRoot: 'C:\\Windows',
    APPDATA: 'a',
    USERPROFILE: 'u',
    TEMP: 't',
    SECRET: 's',
    HOME: 'h',
  }
  const { SECRET: _, HOME: __, ...plain } = own
  expect(plainEnv(own, 'win32')).toEqual(plain)
  expect(plainEnv({ PATH: '/bin', HOME: '/h', APPDATA: 'a', X: undefined }, 'linux')).toEqual({
    PATH: '/bin',
    HOME: '/h',
  })
})

test('an npx behind us does not get the orders of the npx before us', () => {
  const own = {
    PATH: '/bin',
    npm_config_package: 'countersign',
    npm_config_call: '',
    npm_config_yes: 'true',
    npm_command: 'exec',
    npm_lifecycle_event: 'npx',
    npm_package_name: 'x',
    npm_execpath: '/npm',
    npm_config_registry: 'https://registry.example.com',
    COUNTERSIGN_TOKEN: 'cs_x',
    // Windows keeps the case of names, and ignores it.
    Countersign_Db: 'postgres://u:p@db/x',
  }
  expect(inheritedEnv(own)).toEqual({
    PATH: '/bin',
    npm_config_registry: 'https://registry.example.com',
  })
})
