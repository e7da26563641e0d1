/** `npm run build`: src → dist, as published. Tests stay out. */
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { rebuildInbox } from '../inbox/build.ts'
import { bundleInk, bundleSandbox } from './bundle.ts'
import { bundleCommand } from './bundle-command.ts'
import { root, runTool, type ToolRun } from './tool.ts'

/**
 * Built aside and moved into place, so that no one ever reads half a dist. `typed`: another check looks
 * at the types of the same files.
 */
export async function build({ typed = false } = {}): Promise<ToolRun> {
  const dist = path.join(root, 'dist')
  const fresh = path.join(root, `.dist-${process.pid}`)
  try {
    const own = typed ? ['--noCheck'] : []
    const run = await runTool('tsc', ['-p', 'tsconfig.build.json', '--outDir', fresh, ...own])
    if (!run.ok) return run
    cpSync(path.join(root, 'src'), fresh, { recursive: true, filter: isFolderOrAsset })
    await bundleCommand(fresh)
    await bundleInk(fresh)
    await bundleSandbox(fresh)
    // Where tests look for the page, who would build it once more otherwise.
    cpSync(await rebuildInbox(), path.join(fresh, 'inbox'), { recursive: true })
    // Moved and not removed first: a server that reads from it finds a file at any moment but one.
    const old = `${fresh}-old`
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
    rmSync(old, { recursive: true, force: true })
    return run
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** What tsc leaves behind, and scripts for the browser as they were written. */
function isFolderOrAsset(file: string): boolean {
  return !/\.tsx?$/.test(file)
}

if (import.meta.main) {
  const { ok, output } = await build()
  process.stderr.write(output)
  process.exitCode = ok ? 0 : 1
}
