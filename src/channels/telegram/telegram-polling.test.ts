import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startPolling } from './telegram-polling.ts'

test('what is no list of updates is reported, and not asked for again at once', async () => {
  let calls = 0
  const lines: string[] = []
  const stop = startPolling({
    async call() {
      calls += 1
      await sleep(1)
      return {}
    },
    onUpdate: async () => {},
    report: (line) => lines.push(line),
  })
  await sleep(150)
  await stop()
  expect([calls, lines]).toEqual([1, ['telegram: Telegram answered something unexpected']])
})
