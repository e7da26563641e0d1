import type { ToolContext } from '../../gate/tool.ts'

/** What the gate tells a tool that runs, as far as a tool of the SDK can use it. */
export type GateContext = Pick<ToolContext, 'approval' | 'decision' | 'countersign'>

const contexts = new WeakMap<object, GateContext>()

export function rememberContext(options: object, context: ToolContext): void {
  contexts.set(options, context)
}

/**
 * What the gate says of the call that `execute` was given these options for: its approval, what the
 * approver attached, and `countersign`, the proof for a gate further on. Kept beside the options and
 * not in them, so that nothing a model or a page sends can be taken for it. Undefined outside a gate.
 */
export function gateContext(options: object): GateContext | undefined {
  return contexts.get(options)
}
