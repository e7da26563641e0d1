/** `npm run dev -w inbox`: the page on made-up calls, built once. */
import { ensureInbox } from '../build.ts'
import { startFakeServer } from './fake-server.ts'

const { url, token } = await startFakeServer({ page: await ensureInbox(), port: 4748 })
process.stdout.write(`${url}/#signin=${token}\n`)
