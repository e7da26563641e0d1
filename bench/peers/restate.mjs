/** Restate with the server it ships by npm: a handler that awaits an awakeable, then runs a step. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as restate from '@restatedev/restate-sdk'
import { ARGS, RESULT } from './args.mjs'

export async function open(folder) {
  const [node, admin, ingress, service] = await Promise.all([port(), port(), port(), port()])
  const config = path.join(folder, 'restate.toml')
  writeFileSync(
    config,
    `bind-port = ${node}\n[admin]\nbind-address = "127.0.0.1:${admin}"\n[ingress]\nbind-address = "127.0.0.1:${ingress}"\n`,
  )
  const require = createRequire(import.meta.url)
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`
  const bin = path.join(path.dirname(require.resolve(`${name}/package.json`)), 'bin/restate-server')
  const server = spawn(bin, ['--config-file', config], {
    env: {
      ...process.env,
      RESTATE_BASE_DIR: folder,
      RESTATE_LOG_FILTER: 'error',
      DO_NOT_TRACK: '1',
    },
    stdio: 'ignore',
  })
  process.on('exit', () => server.kill('SIGKILL'))
  const at = (portNumber, rest) => `http://127.0.0.1:${portNumber}${rest}`
  for (let tries = 0; ; tries += 1) {
    const up = await Promise.all([
      fetch(at(admin, '/health')),
      fetch(at(ingress, '/restate/health')),
    ])
      .then((answers) => answers.every(({ ok }) => ok))
      .catch(() => false)
    if (up) break
    if (tries > 300) throw new Error('Restate does not start')
    await sleep(100)
  }
  const pending = new Map()
  const woken = new Map()
  const bank = restate.service({
    name: 'bank',
    handlers: {
      transfer: async (ctx, { id }) => {
        const { id: awakeable, promise } = ctx.awakeable()
        await ctx.run('asked', () => pending.get(id)?.(awakeable))
        if ((await promise) !== true) throw new restate.TerminalError('not approved')
        return ctx.run('transfer', () => {
          woken.get(id)?.()
          return RESULT
        })
      },
    },
  })
  await restate.serve({ services: [bank], port: service })
  const post = async (url, body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
    return answer.text()
  }
  await post(at(admin, '/deployments'), { uri: at(service, '') })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      let start = Number.NaN
      woken.set(id, () => {
        start = performance.now()
      })
      const asked = new Promise((resolve) => pending.set(id, resolve))
      const done = post(at(ingress, '/bank/transfer'), { id, ...ARGS })
      const awakeable = await asked
      pending.delete(id)
      const sent = performance.now()
      await post(at(ingress, `/restate/awakeables/${awakeable}/resolve`), true)
      await done
      woken.delete(id)
      return { wake: start - sent }
    },
    async close() {
      server.kill('SIGKILL')
    },
  }
}

async function port() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port: found } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return found
}
