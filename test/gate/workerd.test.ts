import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { askWorker } from '../workerd/run.ts'
import { story } from './workerd/story.ts'

test('a gate runs in workerd and tells there what it tells in Node', async () => {
  const entry = fileURLToPath(new URL('./workerd/worker.ts', import.meta.url))
  const answer = (await askWorker(entry)) as { runtime?: string; told?: unknown; error?: string }
  expect(answer.error).toBeUndefined()
  expect(answer.runtime).toBe('Cloudflare-Workers')
  const here = await story()
  expect(answer.told).toEqual(here)
  expect(here.map(([ending]) => ending)).toEqual(['succeeded', 'succeeded', 'denied', 'withdrawn'])
}, 60_000)
