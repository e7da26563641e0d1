import { processShell } from '../shell.ts'
import { hookClaudeCode } from './claude-code.ts'
import { quickOptions } from './options.ts'

/** `countersign hook …`, which runs before every call of an agent: it loads little, and often. */
export async function main(args: readonly string[]): Promise<number> {
  const options = quickOptions(args)
  if (options !== undefined) return hookClaudeCode(options, processShell())
  const everything = await import('../main.ts')
  return everything.main(args)
}
