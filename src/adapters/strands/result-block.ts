import type { ToolResultBlock } from '@strands-agents/sdk'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Succeeded } from '../../gate/outcome.ts'

/** What the tool itself gave: its call failed, and the record says so. */
export class ErrorBlock extends Error {
  readonly block: ToolResultBlock

  constructor(block: ToolResultBlock) {
    super(block.error?.message ?? textOf(block), { cause: block.error })
    this.block = block
  }
}

/** The record holds JSON, so what ran before is made a block again. */
export async function blockOf(
  outcome: Succeeded<unknown>,
  fresh: ToolResultBlock | undefined,
  toolUseId: string,
): Promise<ToolResultBlock> {
  const { modelMessage, result } = outcome
  if (fresh && modelMessage === undefined) return fresh
  const { ToolResultBlock: Block, TextBlock } = await sdk()
  const before = fresh ?? (isStored(result) ? Block.fromJSON(result as never) : undefined)
  const content = [...(before?.content ?? [])]
  if (modelMessage !== undefined) content.unshift(new TextBlock(modelMessage))
  return new Block({ toolUseId, status: 'success', content })
}

/** Only what `toJSON` of a block gave was ever recorded. A result that was not kept is none. */
function isStored(result: unknown): result is JsonObject {
  return isPlainObject(result) && isPlainObject((result as JsonObject).toolResult)
}

function textOf({ content }: ToolResultBlock): string {
  const texts = content.map((one) =>
    'text' in one && typeof one.text === 'string' ? one.text : JSON.stringify(one),
  )
  return texts.join('\n')
}

async function sdk(): Promise<typeof import('@strands-agents/sdk')> {
  try {
    return await import('@strands-agents/sdk')
  } catch (cause) {
    throw new CountersignError('peer_missing', '@strands-agents/sdk is not installed', {
      hint: 'Run npm install @strands-agents/sdk.',
      cause,
    })
  }
}
