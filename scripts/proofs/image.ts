/**
 * What the Dockerfile does, in a folder: the package is packed, filled from the lockfile, and its server
 * is started as a user without rights, with nothing to write to but /data. The image itself needs Docker.
 */
import { spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { openFolder, userForPostgres } from '../../test/support/postgres-binaries.ts'
import { OPTIONAL_PARTS } from '../image.ts'
import { root } from '../tool.ts'

const user = userForPostgres()
const folder = mkdtempSync(path.join(openFolder(user !== undefined), 'countersign-image-'))
const [app, data] = [path.join(folder, 'app'), path.join(folder, 'data')]

function run(program: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`)
}

/** `ENTRYPOINT [...]` of the Dockerfile, after the name of the program. */
function entry(): string[] {
  const [, list = '[]'] =
    /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(path.join(root, 'Dockerfile'), 'utf8')) ?? []
  return (JSON.parse(list) as string[]).slice(1)
}

async function started(): Promise<void> {
  const oidc = ['--oidc-issuer', 'https://id.example.com', '--oidc-client-id', 'countersign']
  const args = [path.join(app, 'bin/countersign.js'), ...entry(), '--port', '0', ...oidc]
  const child = spawn(process.execPath, args, {
    ...user,
    cwd: data,
    env: {
      ...{ PATH: process.env.PATH, HOME: data, NODE_ENV: 'production' },
      COUNTERSIGN_PUBLIC_URL: 'https://countersign.example.com',
      COUNTERSIGN_DB: `sqlite:${path.join(data, '.countersign/approvals.db')}`,
      // Refused unless mail is inside.
      ...{ COUNTERSIGN_SMTP_URL: 'smtp://127.0.0.1:1', COUNTERSIGN_MAIL_FROM: 'a@example.com' },
    },
  })
  const said = await new Promise<string>((resolve) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text.includes('is running')) resolve(text)
    })
    child.stderr.on('data', (chunk) => {
      text += chunk
    })
    child.once('close', (code) => resolve(`ended with ${code}: ${text}`))
  })
  child.kill('SIGTERM')
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (!said.includes('is running') || code !== 0) throw new Error(`not started: ${said} (${code})`)
}

try {
  run('npm', ['pack', '--pack-destination', folder])
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
  run(process.execPath, ['scripts/image.ts', path.join(folder, archive), app])
  mkdirSync(data, { mode: 0o700 })
  if (user) chownSync(data, user.uid, user.gid)
  for (const name of OPTIONAL_PARTS) {
    const find = `import(${JSON.stringify(name)}).then(() => process.exit(0), (e) => { console.error(e); process.exit(1) })`
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', find], {
      ...{ cwd: app, encoding: 'utf8' },
    })
    if (status !== 0) throw new Error(`${name} is not inside: ${stderr}`)
  }
  await started()
  process.stdout.write(
    `the image's steps ran; ${OPTIONAL_PARTS.length} optional parts are inside\n`,
  )
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
