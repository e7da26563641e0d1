import { availableParallelism } from 'node:os'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const conditions = ['countersign-source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{src,test,bench,scripts,inbox}/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/leave-with-parent.ts',
    // Real servers start inside tests, on machines of any speed.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // Many tests wait for processes of their own, so two cores carry three files at a time.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    // Whoever waits for a page or a process waits as long as a busy machine needs.
    expect: { poll: { timeout: 10_000 } },
    // Most of the time goes into starting our own programs; Node keeps what it compiled of them.
    env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/compiled') },
    // A test left alone on purpose would hide all the others.
    allowOnly: false,
  },
})
