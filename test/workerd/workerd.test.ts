import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { answers } from './answers.ts'
import { askWorker } from './run.ts'

test('the core runs in workerd and answers there as it does in Node', async () => {
  const entry = fileURLToPath(new URL('./worker.ts', import.meta.url))
  const inWorker = (await askWorker(entry)) as { runtime?: string; found?: unknown; error?: string }
  expect(inWorker.error).toBeUndefined()
  expect(inWorker.runtime).toBe('Cloudflare-Workers')
  const here = JSON.parse(JSON.stringify(await answers())) as { history: { ok: boolean }[] }
  expect(inWorker.found).toEqual(here)
  // Everything but the late answer was accepted, so this compares more than refusals.
  expect(here.history.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, true])
}, 60_000)
