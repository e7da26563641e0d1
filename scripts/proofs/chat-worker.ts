/**
 * `examples/chat-worker` in `wrangler dev`, with a real server of ours: `npm run proof chat-worker`.
 * wrangler is large, so npm installs it for the proofs alone.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chatWorkerStory, ENTRY } from '../../test/adapters/chat-worker/story.ts'
import { failures, prove } from './claude/prove.ts'
import { wranglerIn } from './cloudflare-workflows/wrangler.ts'

// Then what it started ends as well.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const file = path.join(path.dirname(ENTRY), 'wrangler.json')
const { durable_objects, migrations } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly durable_objects: object
  readonly migrations: readonly object[]
}
const config = { durable_objects, migrations, workflows: [] }
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-chat-worker-'))
try {
  await prove('a user confirms in the chat, and others review in the inbox', () =>
    chatWorkerStory(async (env) => {
      const wrangler = await wranglerIn(folder, { entry: ENTRY, config })
      const { kill } = await wrangler.start(env)
      return { url: wrangler.url, kill }
    }),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures() === 0 ? 0 : 1
