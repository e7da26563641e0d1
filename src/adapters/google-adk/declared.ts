import type { BaseTool, Context } from '@google/adk'
import type { JsonObject } from '../../base/json/json.ts'
import type { CallDeclaration } from '../../gate/declared/declarations.ts'
import { resolveDeclared } from '../../gate/declared/resolve-declared.ts'
import { isA } from './tool-words.ts'

/** What the author wrote as `requireConfirmation`, or as a method of a tool of their own. */
export function settingOf(tool: BaseTool): unknown {
  const { requireConfirmation } = tool as { readonly requireConfirmation?: unknown }
  if (!isA('functionTool', tool)) return tool.checkRequireConfirmation
  // The SDK does not tell a `false` from nothing written at all, so a no leaves it to the files.
  return requireConfirmation === false ? undefined : requireConfirmation
}

/**
 * What the author wrote is a declaration of this tool alone, asked with what the ADK itself gives.
 * Without a context it is unknown what a function would say: then it counts as a yes.
 */
export function declaredFor(
  tool: BaseTool,
  args: JsonObject,
  context: Context | undefined,
): Promise<CallDeclaration | undefined> {
  const ask = () => !context || tool.checkRequireConfirmation(structuredClone(args), context)
  return resolveDeclared(settingOf(tool), { args, ask, otherwise: 'files' })
}
