import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Client } from 'pg'
import { expect, test, vi } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { SETTINGS, variableOf } from '../../src/cli/config/settings.ts'
import { BIN, countersign, folder } from '../cli/countersign.ts'
import { start } from '../cli/started.ts'
import { onServer } from '../stores/crashable.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 300_000 })

const DEPLOY = path.resolve(import.meta.dirname, '../../deploy')
const read = (file: string) => readFileSync(path.join(DEPLOY, file), 'utf8')

interface Service {
  readonly environment?: Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly secrets?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly volumes?: readonly string[]
}

const compose = parse(read('compose/compose.yaml'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

interface Pod {
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly enableServiceLinks: boolean
  readonly containers: readonly {
    readonly command?: readonly string[]
    readonly env: readonly { readonly name: string; readonly value: string }[]
    readonly securityContext: Readonly<Record<string, unknown>>
    readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[]
    readonly readinessProbe?: { readonly httpGet: { readonly path: string } }
  }[]
  readonly volumes: readonly { readonly name: string }[]
}

interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: object } & Readonly<Record<string, unknown>>
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[]
  }
}

const manifests = ['config', 'migrate', 'countersign'].flatMap((name) =>
  parseAllDocuments(read(`kubernetes/${name}.yaml`)).map((document) => {
    expect(document.errors).toEqual([])
    return document.toJS() as Manifest
  }),
)
const manifest = (kind: string) => {
  const found = manifests.find((one) => one.kind === kind)
  if (!found) throw new Error(`no ${kind}`)
  return found
}

const known = SETTINGS.flatMap((one) => [variableOf(one), `${variableOf(one)}_FILE`])
const MIGRATE = compose.services.migrate?.command ?? []

test('containers have settings that there are, no root, and nothing that they can write but volumes', () => {
  const { migrate, one, two } = compose.services
  for (const service of [migrate, one, two]) {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp'] })
    for (const [name, value] of Object.entries(service?.environment ?? {})) {
      if (name !== 'COUNTERSIGN_CONFIG') expect(known).toContain(name)
      const [, secret] = /^\/run\/secrets\/(.+)$/.exec(value) ?? []
      if (secret !== undefined) expect(service?.secrets).toContain(secret)
    }
    for (const secret of service?.secrets ?? []) expect(compose.secrets).toHaveProperty(secret)
  }
  expect({ ...two, volumes: [] }).toEqual({ ...one, volumes: [] })
  const pods = manifests.flatMap(({ spec }) => spec?.template?.spec ?? [])
  expect(pods).toHaveLength(2)
  for (const pod of pods) {
    expect(pod).toMatchObject({
      enableServiceLinks: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    const [container] = pod.containers
    expect(container?.securityContext).toEqual({
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    })
    const volumes = [
      ...pod.volumes,
      ...(manifest('StatefulSet').spec?.volumeClaimTemplates ?? []).map(({ metadata }) => metadata),
    ].map(({ name }) => name)
    for (const { name } of container?.volumeMounts ?? []) expect(volumes).toContain(name)
    for (const { name, value } of container?.env ?? []) {
      if (name !== 'COUNTERSIGN_CONFIG') expect(known).toContain(name)
      const mounts = (container?.volumeMounts ?? []).map(({ mountPath }) => mountPath)
      if (value.startsWith('/')) expect(mounts).toContain(path.dirname(value))
    }
  }
  // The same servers in both: same settings, and the same job before them.
  const server = manifest('StatefulSet').spec?.template?.spec.containers[0]
  expect(server?.env.map(({ name }) => name).sort()).toEqual(
    Object.keys(one?.environment ?? {}).sort(),
  )
  expect(server?.readinessProbe?.httpGet.path).toBe('/readyz')
  const job = manifest('Job').spec?.template?.spec.containers[0]
  expect(job?.command).toEqual(['countersign', ...MIGRATE])
})

test('selectors find the pods of the servers and of nothing else', () => {
  const { labels = {} } = manifest('StatefulSet').spec?.template?.metadata ?? {}
  expect(manifest('StatefulSet').spec?.selector?.matchLabels).toEqual(labels)
  expect(manifest('PodDisruptionBudget').spec?.selector?.matchLabels).toEqual(labels)
  expect(manifest('Service').spec?.selector).toEqual(labels)
  expect(manifest('Job').spec?.template?.metadata.labels).not.toEqual(labels)
})

const SYSTEMD = '/usr/bin/systemd-analyze'

test.runIf(existsSync(SYSTEMD))('systemd finds nothing wrong with the unit', () => {
  const unit = read('systemd/countersign.service').replace('/usr/bin/countersign', process.execPath)
  const place = folder({ 'countersign.service': unit })
  const file = path.join(place, 'countersign.service')
  const { status, stderr } = spawnSync(SYSTEMD, ['verify', '--man=no', file], {
    encoding: 'utf8',
  })
  expect([status, stderr.split('\n').filter((line) => line.includes(file))]).toEqual([0, []])
})

promise(
  ['CS-DEPLOY-1'],
  'the containers are prepared, migrated and started as their files say',
  async () => {
    const postgres = await onServer()
    const admin = new Client({ connectionString: postgres.url })
    await admin.connect()
    await admin.query('create database countersign')
    await admin.end()
    const place = folder()
    cpSync(path.join(DEPLOY, 'compose'), place, { recursive: true })
    const env = { ...process.env, COUNTERSIGN: `${process.execPath} ${BIN}` }
    for (let time = 0; time < 2; time += 1) {
      const prepared = spawnSync(path.join(place, 'prepare.sh'), { env, encoding: 'utf8' })
      expect([prepared.status, prepared.stderr]).toEqual([0, ''])
    }
    const database = new Client({
      connectionString: postgres.url.replace(/\/[^/]*$/, '/countersign'),
    })
    await database.connect()
    await database.query(readFileSync(path.join(place, 'roles.sql'), 'utf8'))
    await database.end()
    writeFileSync(path.join(place, 'secrets/oidc_client_secret'), 'a secret')
    // Where the containers see it.
    for (const { file } of Object.values(compose.secrets)) {
      const at = path.join(place, file)
      expect(existsSync(at)).toBe(true)
      const text = readFileSync(at, 'utf8')
      writeFileSync(at, text.replace('@postgres/', `@127.0.0.1:${postgres.port}/`))
    }
    cpSync(path.join(place, 'config.example.yaml'), path.join(place, 'config/config.yaml'))
    const { 'countersign.yaml': policy = '', 'company.yaml': company = '' } =
      manifest('ConfigMap').data ?? {}
    writeFileSync(path.join(place, 'config/countersign.yaml'), policy)
    writeFileSync(path.join(place, 'config/company.yaml'), company)
    const here = (service: Service | undefined) =>
      Object.fromEntries(
        Object.entries(service?.environment ?? {}).map(([name, value]) => [
          name,
          value
            .replace('/run/secrets', path.join(place, 'secrets'))
            .replace('/etc/countersign', path.join(place, 'config')),
        ]),
      )
    const { migrate, one } = compose.services
    const early = await countersign(['start', '--port', '0'], { cwd: place, env: here(one) })
    expect([early.code, early.stderr]).toEqual([7, expect.stringContaining('store_outdated')])
    const migrated = await countersign(MIGRATE, { cwd: place, env: here(migrate) })
    expect([migrated.code, migrated.stderr]).toEqual([0, ''])
    const servers = await Promise.all(
      ['one', 'two'].map((name) => {
        const data = path.join(place, name)
        mkdirSync(data)
        return start(data, [], here(one))
      }),
    )
    for (const { greeting } of servers) {
      const [url = ''] = /https?:\/\/[^\s"#]+/.exec(greeting) ?? []
      expect(url).toBe('https://countersign.example.com/')
    }
    const { stdout } = await countersign(['config', 'print', '--json'], {
      ...{ cwd: place, env: here(one) },
    })
    expect(stdout).not.toContain('a secret')
    expect(JSON.parse(stdout).unknown).toEqual([])
    for (const { child, ended } of servers) {
      child.kill('SIGTERM')
      expect(await ended).toBe(0)
    }
  },
)
