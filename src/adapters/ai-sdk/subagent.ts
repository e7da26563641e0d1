import { digestOf } from '../../base/json/digest.ts'
import type { ToolAsking } from './guarded-tool.ts'

/**
 * How the tools of a sub-agent are guarded, for one call of the tool that runs it. The SDK loses a
 * pause in there, so calls block. Models number their calls anew in each sub-agent: a run of its own
 * keeps two of one id apart.
 */
export async function forSubagent(
  asking: ToolAsking,
  { toolCallId }: { readonly toolCallId: string },
): Promise<ToolAsking & { readonly mode: 'block' }> {
  const { run } = asking
  // The model chooses the id, and a chat may be called anything: only a digest names one pair alone.
  const digest = await digestOf('subagent', [run, toolCallId])
  return { ...asking, run: `${run}/${digest}`, mode: 'block' }
}
