import path from 'node:path'
import { expect, test } from 'vitest'
import { startWorker } from './workerd.ts'

const worker = (name: string) => path.join(import.meta.dirname, 'workers', name)

test('tests run code in a real workerd', async () => {
  const { url, stop } = await startWorker(worker('echo.ts'))
  try {
    const response = await fetch(url, { method: 'POST', body: 'hello' })
    expect(await response.json()).toEqual({ said: 'hello', runtime: 'Cloudflare-Workers' })
  } finally {
    await stop()
  }
})

test('a module of Node is not there', async () => {
  await expect(startWorker(worker('uses-node.ts'))).rejects.toThrow('Could not resolve "node:fs"')
})
