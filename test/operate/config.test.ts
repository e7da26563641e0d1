import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { takesStart } from '../../src/cli/commands/start.ts'
import { configure } from '../../src/cli/config/effective.ts'
import { attributeOf, SETTINGS, variableOf } from '../../src/cli/config/settings.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { countersign, folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

interface Given {
  readonly args?: readonly string[]
  readonly env?: Shell['env']
  readonly file?: string
}

/** `countersign start` up to where it would begin, with a file of settings if there is one. */
function configured({ args = [], env = {}, file }: Given) {
  const cwd = folder({ 'config.yaml': file ?? '', secret: 's3cret value\n' })
  const program = new Command('countersign').option('--config <file>')
  const command = takesStart(program.command('start')).exitOverride()
  command.action(() => {})
  program.parse([...(file === undefined ? [] : ['--config', 'config.yaml']), 'start', ...args], {
    from: 'user',
  })
  const { shell, settings, strays } = configure(command, { env, cwd } as Shell)
  const effective = (name: string) => {
    const found = settings.find(({ setting }) => setting.name === name)
    return found && { items: found.items, source: found.source, from: found.from }
  }
  return { cwd, env: shell.env, options: command.opts(), effective, strays }
}

promise(['CS-CONF-1'], 'a flag counts before the environment, and that before the file', () => {
  const file = 'port: 1\nlog_level: debug\nobserve: on\noauth: off\nmail_from: c@example.com\n'
  const env = { COUNTERSIGN_PORT: '2', COUNTERSIGN_MAIL_FROM: 'b@example.com' }
  const all = configured({ args: ['--port', '3', '--mail-from', 'a@example.com'], env, file })
  expect(all.options).toMatchObject({ port: '3', logLevel: 'debug', observe: true, oauth: false })
  expect(all.effective('port')).toEqual({ items: ['3'], source: 'flag', from: ['--port'] })
  expect(all.effective('mail_from')?.items).toEqual(['a@example.com'])
  const two = configured({ env, file })
  expect(two.options).toMatchObject({ port: '2' })
  expect(two.env.COUNTERSIGN_MAIL_FROM).toBe('b@example.com')
  const one = configured({ file })
  expect(one.options).toMatchObject({ port: '1' })
  expect(one.env.COUNTERSIGN_MAIL_FROM).toBe('c@example.com')
  expect(one.effective('port')?.from).toEqual(['config.yaml:1'])
  expect(configured({}).effective('port')).toEqual({
    ...{ items: ['4747'], source: 'default', from: ['default'] },
  })
  // A switch that is off at one place is off, although another place turns it on.
  const off = configured({ env: { COUNTERSIGN_OBSERVE: 'off' }, file })
  expect(off.options.observe).toBe(false)
})

promise(['CS-CONF-1'], 'governance of all three places is enforced', () => {
  const { env, options, effective, cwd } = configured({
    args: ['--governance', 'flag.yaml'],
    env: { COUNTERSIGN_GOVERNANCE: '/env.yaml' },
    file: 'governance: [file.yaml]',
  })
  expect(options.governance).toEqual(['flag.yaml'])
  expect(env.COUNTERSIGN_GOVERNANCE?.split(',')).toEqual(['/env.yaml', path.join(cwd, 'file.yaml')])
  expect(effective('governance')?.from).toEqual([
    ...['--governance', 'COUNTERSIGN_GOVERNANCE', 'config.yaml:1'],
  ])
})

promise(
  ['CS-CONF-2'],
  'a key that is none, a value that is none and a secret start nothing',
  () => {
    const refused = (given: Given, message: RegExp, hint = /./) =>
      expect(() => configured(given)).toThrow(
        expect.objectContaining({
          ...{ code: 'usage', message: expect.stringMatching(message) },
          hint: expect.stringMatching(hint),
        }),
      )
    refused({ file: 'prot: 1' }, /config.yaml:1: there is no setting prot/, /Did you mean port\?/)
    refused({ file: 'port: 1\nport: 2' }, /config.yaml:2/)
    refused({ file: 'metrics_token: abc' }, /holds a secret/, /metrics_token_file/)
    refused({ file: 'db: postgres://a:b@h/n' }, /holds a secret/, /db_file/)
    refused({ file: 'db: postgres://a@h/n?password=b' }, /holds a secret/)
    refused({ file: 'db: sqlite:x\ndb_file: secret' }, /set twice/)
    refused({ file: 'observe: perhaps' }, /neither on nor off/)
    refused({ file: 'port: [1]' }, /no value/)
    refused({ file: '- port' }, /name: value/)
    refused({ file: '' }, /empty/)
    refused({ file: 'oauth_clients: [a b]' }, /space/)
    refused({ file: 'db_file: missing' }, /cannot be read \(ENOENT\)/)
    refused({ args: ['--config', 'nowhere.yaml'] }, /./)
    refused({ env: { COUNTERSIGN_OBSERVE: 'perhaps' } }, /COUNTERSIGN_OBSERVE/)
    refused(
      { env: { COUNTERSIGN_PORT: 'tcp://10.0.0.1:4747' } },
      /Kubernetes/,
      /enableServiceLinks/,
    )
  },
)

promise(['CS-SEC-11'], 'every secret setting is read from the file that is named', () => {
  const secrets = SETTINGS.filter(({ isSecret, name }) => isSecret && name !== 'webhook_secret')
  expect(secrets.length).toBeGreaterThan(10)
  for (const setting of secrets) {
    const name = variableOf(setting)
    const byVariable = configured({ env: { [`${name}_FILE`]: 'secret' } })
    expect(byVariable.env).toMatchObject({ [name]: 's3cret value' })
    expect(byVariable.env).not.toHaveProperty(`${name}_FILE`)
    expect(configured({ file: `${setting.name}_file: secret` }).env[name]).toBe('s3cret value')
  }
  const { env, cwd } = configured({ file: 'webhook_secret_file: secret' })
  expect(env.COUNTERSIGN_WEBHOOK_SECRET_FILE).toBe(path.join(cwd, 'secret'))
  // An empty name of a file says nothing.
  const given = { COUNTERSIGN_DB_FILE: '', COUNTERSIGN_DB: 'sqlite:x' }
  expect(configured({ env: given }).env.COUNTERSIGN_DB).toBe('sqlite:x')
})

promise(
  ['CS-SEC-11'],
  'a file that is missing, empty or of several lines is refused, and so are two sources',
  () => {
    const refused = (env: Shell['env']) =>
      expect(() => configured({ env })).toThrow(expect.objectContaining({ code: 'usage' }))
    const FILE = 'COUNTERSIGN_METRICS_TOKEN_FILE'
    const texts = ['', '\n', 'a\nb\n', 'a\0b', 'x'.repeat(70_000)]
    const files = folder(Object.fromEntries(texts.map((text, index) => [String(index), text])))
    for (const index of texts.keys()) refused({ [FILE]: path.join(files, String(index)) })
    refused({ [FILE]: 'missing' })
    refused({ [FILE]: 'secret', COUNTERSIGN_METRICS_TOKEN: 'y' })
    // Reading one that never ends must end.
    refused({ [FILE]: '/dev/urandom' })
    refused({ [FILE]: '.' })
  },
)

test('every flag of start, and every variable that the source reads, is a setting', () => {
  const command = takesStart(new Command('start'))
  const flags = SETTINGS.flatMap(({ flag }) => flag ?? [])
  // Done once, at one start.
  const once = ['--push-new-key']
  expect(command.options.map(({ long }) => long).sort()).toEqual([...flags, ...once].sort())
  for (const { long } of command.options) {
    expect(Object.keys(command.opts()).concat(attributeOf(long ?? ''))).toContain(
      attributeOf(long ?? ''),
    )
  }
  const src = path.join(ROOT, 'src')
  const code = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(path.join(src, name), 'utf8'))
    .join('\n')
  const known = new Set(SETTINGS.flatMap((one) => [variableOf(one), `${variableOf(one)}_FILE`]))
  const others = ['URL', 'TOKEN', 'CONFIG', 'PRT'].map((name) => `COUNTERSIGN_${name}`)
  const read = new Set([...code.matchAll(/\bCOUNTERSIGN_[A-Z_]*[A-Z]\b/g)].map(([name]) => name))
  expect([...read].filter((name) => !known.has(name) && !others.includes(name))).toEqual([])
})

promise(['CS-CONF-3'], 'config print names every value and its source, and no secret', async () => {
  const cwd = folder({
    'config.yaml':
      'db: postgres://app@db.internal/cs\nmetrics_token_file: token\nwebhook_url: https://hooks.example.com/T0/hunter1\n',
    token: 'hunter2',
  })
  const env = {
    COUNTERSIGN_SMTP_URL: 'smtps://u:hunter3@mail',
    COUNTERSIGN_DB_DIRECT: 'postgres://app:hunter4@db.internal/cs?password=hunter5',
    COUNTERSIGN_PRT: '1',
  }
  const args = ['--config', 'config.yaml', 'config', 'print', '--port', '8080']
  const text = await countersign(args, { cwd, env })
  expect(text.code).toBe(0)
  expect(text.stdout).toMatch(/^db +postgres:\/\/app@db\.internal\/cs +config\.yaml:1$/m)
  expect(text.stdout).toMatch(/^port +8080 +--port$/m)
  expect(text.stderr).toContain('COUNTERSIGN_PRT (did you mean COUNTERSIGN_PORT?)')
  const json = await countersign([...args, '--json', '--all'], { cwd, env })
  const { settings } = JSON.parse(json.stdout) as { settings: { name: string }[] }
  expect(settings.map(({ name }) => name)).toEqual(SETTINGS.map(({ name }) => name))
  expect(settings).toContainEqual({
    ...{ name: 'metrics_token', value: '(hidden)', source: 'file', from: ['config.yaml:2'] },
    secret: true,
  })
  expect(text.stdout + text.stderr + json.stdout).not.toMatch(/hunter\d/)
})
