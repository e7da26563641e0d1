import { availableParallelism } from 'node:os'
import path from 'node:path'
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'

const conditions = ['countersign-source']

/**
 * Most files share processes, and so the modules they load: what a test changes outside of its own
 * objects it must put back. Helpers of theirs register no hooks and set no timeouts when they are
 * imported, because that happens once per process.
 */
const SHARING = [
  '{src,inbox/src}/**/*.test.ts',
  'test/{adapters,approval,client,oracle,policy,promises,server}/*.test.ts',
  // They set tracing or metrics up, which agent SDKs that others load do as well, once for a process.
  'test/{gate/!(telemetry|meter),secrets/!(adapters)}.test.ts',
  'test/{acp,app,channels,chat,cli,clients,mcp,operate,stores,studio}/**/*.test.ts',
  // One of them replaces a module of Node.
  'test/threats/!(unsafe-disk).test.ts',
  'test/audit*.test.ts',
]

/**
 * Tests that click. Their files share processes too, and with them a browser and the modules of the
 * server: loading both takes longer than most of the files.
 */
const CLICKING = ['inbox/test/*.test.ts', 'test/e2e/*.test.ts']

function project(
  name: string,
  test: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration {
  return {
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      setupFiles: 'test/support/leave-with-parent.ts',
      // Real servers and commands start inside tests, on machines of any speed.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      // Pages and processes are waited for as long as a busy machine needs.
      expect: { poll: { timeout: 10_000 } },
      // Most of the time goes into starting our own programs; Node keeps what it compiled of them.
      env: { NODE_COMPILE_CACHE: path.join(import.meta.dirname, 'node_modules/.cache/compiled') },
      // A test left alone on purpose would hide all the others.
      allowOnly: false,
      ...test,
    },
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    // Many tests wait for processes, pages and clocks: those of the gateway use a fifth of a core.
    maxWorkers: 2 * availableParallelism(),
    sequence: { sequencer: LongestFirst },
    projects: [
      project('own process', {
        include: ['{src,test,bench,scripts,inbox}/**/*.test.ts'],
        exclude: [...configDefaults.exclude, ...SHARING, ...CLICKING],
      }),
      project('pages', {
        include: CLICKING,
        isolate: false,
        testTimeout: 120_000,
        hookTimeout: 120_000,
      }),
      project('shared process', { include: SHARING, isolate: false }),
    ],
  },
})
