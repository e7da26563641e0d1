import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { askWorker } from '../workerd/run.ts'
import { story } from './workerd/story.ts'

test('the AI SDK adapter runs in workerd and tells there what it tells in Node', async () => {
  const entry = fileURLToPath(new URL('./workerd/worker.ts', import.meta.url))
  const answer = (await askWorker(entry)) as { runtime?: string; told?: unknown; error?: string }
  expect(answer.error).toBeUndefined()
  expect(answer.runtime).toBe('Cloudflare-Workers')
  expect(answer.told).toEqual(await story())
  expect(answer.told).toEqual(['waiting', [5], true])
}, 60_000)
