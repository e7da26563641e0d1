import { processShell } from '../shell.ts'
import { answerHook } from './answer-hook.ts'
import { quickOptions } from './options.ts'

/** `countersign hook …`, which runs before every call of an agent: it loads little, and often. */
export async function main(args: readonly string[]): Promise<number> {
  const quick = quickOptions(args)
  if (quick !== undefined) return answerHook(quick.agent, quick.options, processShell())
  const everything = await import('../main.ts')
  return everything.main(args)
}
