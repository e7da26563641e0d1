import { appendFileSync } from 'node:fs'
import type { Json } from '../../../src/base/json/json.ts'
import { webhook } from '../../../src/channels/webhook.ts'
import type { Channel } from '../../../src/gate/notify/channel.ts'
import { WEBHOOK_SECRET } from '../../../test/workflows/cloudflare/cloud.ts'
import { withdrawAll } from '../../../test/workflows/withdraw-all.ts'
import type { EngineHarness, Worker } from '../../../test/workflows/world.ts'
import { sink, type Wrangler, wranglerIn } from './wrangler.ts'

interface Told {
  readonly id?: string
  readonly status?: string
  readonly output?: Json
  readonly error?: unknown
}

/** What a Worker answers; undefined where none is up. */
export async function ask(
  { url }: Pick<Wrangler, 'url'>,
  path: string,
  body?: object,
): Promise<Told | undefined> {
  const init = body ? { method: 'POST', body: JSON.stringify(body) } : { method: 'POST' }
  try {
    return (await (await fetch(`${url}${path}`, init)).json()) as Told
  } catch {
    return undefined
  }
}

/** The server's own webhook to a Worker that is started after it, and no word of some questions. */
export function wakesLater(urlOf: () => string | undefined): Channel {
  return {
    name: 'cloudflare',
    async send(notice, signal) {
      const url = urlOf()
      if (url === undefined || notice.approval.tool === 'unwoken') return
      const allowHosts = [new URL(url).host]
      const { send } = webhook({ url: `${url}/countersign`, secrets: WEBHOOK_SECRET, allowHosts })
      await send(notice, signal)
    },
  }
}

/** The real engine: Workflows in `wrangler dev`, each world in a folder of its own. */
export const cloudflareWrangler: EngineHarness = {
  name: 'Cloudflare Workflows in wrangler dev',
  engine: 'cloudflare',
  async open(folder) {
    const wrangler = await wranglerIn(folder)
    let current: Worker | undefined
    let log = ''
    const known = new Set<string>()
    let left = new Set<string>()
    const written = await sink((line) => {
      appendFileSync(log, `${line}\n`)
      if (!line.startsWith('reached ')) return
      left.delete(line.slice('reached '.length))
      if (left.size === 0) void current?.kill()
    })
    return {
      database: folder,
      wakeUps: wakesLater(() => wrangler.url),
      async worker({ server, log: file, die = [] }) {
        log = file
        left = new Set(die.map(({ of }) => of))
        current = await wrangler.start({
          COUNTERSIGN_URL: server?.url ?? '',
          COUNTERSIGN_TOKEN: server?.token ?? '',
          COUNTERSIGN_WEBHOOK_SECRET: WEBHOOK_SECRET,
          SINK: written.url,
          SESSIONS: '{}',
          DIE: JSON.stringify(die),
        })
        // The emulator goes on with an instance only when something reaches it; the platform by itself.
        for (const id of known) await ask(wrangler, `/nudge?id=${id}`)
        return current
      },
      async start(workflow, input, id = '') {
        const told = await ask(wrangler, `/start?id=${id}`, { workflow, input })
        const started = told?.id ?? id
        known.add(started)
        if (started !== '') return { id: started }
        throw new Error(`it did not start: ${JSON.stringify(told)} ${wrangler.log().slice(-2_000)}`)
      },
      async result({ id }) {
        const told = await ask(wrangler, `/status?id=${id}`)
        if (told?.status === 'complete') return { output: told.output ?? null }
        if (told?.status === 'errored') return { error: JSON.stringify(told.error) }
        return told?.status === 'terminated' ? { error: 'terminated' } : undefined
      },
      async cancel(started, gate) {
        await ask(wrangler, `/terminate?id=${started.id}`)
        await withdrawAll(gate, 'cloudflare', started)
      },
      async forge({ id }, approval) {
        await ask(wrangler, `/forge?id=${id}&approval=${approval}`)
      },
      async expireLeases() {},
      async close() {
        await current?.kill()
        written.server.close()
      },
    }
  },
}
