import { CountersignError } from '../../base/errors.ts'
import { digestDefinition } from '../content/binding.ts'
import { type NamedTool, type ToolDefinition, type Tools, toolsNamed } from '../tool.ts'

/** What an approval says of its tool. */
export interface AskedTool {
  readonly tool: string
  /** Digest of what people saw of it. */
  readonly definition: string
}

/**
 * The tool that was shown, when it is there; otherwise the one of that name, which the claim refuses.
 * `known`: what this gate registered under the name, for tools that say nothing themselves.
 */
export async function toolFor(
  tools: Tools,
  { tool: name, definition: shown }: AskedTool,
  known: ToolDefinition | undefined,
): Promise<NamedTool> {
  const named = toolsNamed(tools, name).map((tool) => ({
    ...tool,
    definition: tool.definition ?? known,
  }))
  for (const tool of named) {
    if ((await digestDefinition(tool.definition)) === shown) return tool
  }
  const [other] = named
  if (other) return other
  throw new CountersignError('tool_unknown', `there is no tool called ${name} here`, {
    hint: 'Pass the tools this process can run, by name.',
  })
}
