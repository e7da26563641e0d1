import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A home and a project of its own, so that nothing of this machine is read or changed. */
export interface Place {
  readonly home: string
  readonly project: string
  remove(): void
}

export function place(): Place {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-claude-'))
  const home = path.join(folder, 'home')
  const project = path.join(folder, 'project')
  for (const one of [home, project]) mkdirSync(one)
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  return { home, project, remove }
}

/** For Claude Code: a made-up key, a model on this machine, and no word to anybody else. */
export function environment({ home }: Place, model: string): Record<string, string> {
  return {
    PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
    TMPDIR: process.env.TMPDIR ?? tmpdir(),
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: 'sk-ant-made-up',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    NO_PROXY: '127.0.0.1,localhost',
    // Claude Code does not wait for its MCP servers by default; a scripted model cannot look again.
    MCP_CONNECTION_NONBLOCKING: '0',
    // Lets the mode that bypasses permissions be tried where everybody is root.
    IS_SANDBOX: '1',
  }
}
