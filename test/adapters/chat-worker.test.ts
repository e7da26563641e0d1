import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { promise } from '../support/promise.ts'
import { startWorker } from '../support/workerd.ts'
import { chatWorkerStory, ENTRY } from './chat-worker/story.ts'

promise(
  ['CS-SDK-9'],
  'examples/chat-worker: a user confirms in the chat, others review in the inbox, and no other socket gets in',
  async () => {
    const disk = mkdtempSync(path.join(tmpdir(), 'countersign-chat-worker-'))
    onTestFinished(() => rmSync(disk, { recursive: true, force: true }))
    const objects = { classes: ['ChatAgent'], disk }
    await chatWorkerStory((env) => startWorker(ENTRY, { node: true, env, objects }))
  },
  120_000,
)
