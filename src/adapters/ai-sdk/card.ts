/** `countersign/ai-sdk/card`: what a chat shows of a call that waits. For browsers: no gate inside. */

/** As much of a tool part of a chat message as a card needs. */
export interface ToolPart {
  readonly type: string
  readonly toolName?: string
  readonly state: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: {
    readonly id: string
    readonly approved?: boolean
    readonly reason?: string
  }
}

export interface ApprovalCard {
  readonly toolName: string
  /** `Approve pay with {"amount":5}?` */
  readonly question: string
  /** One row per argument, with every character of its value that could hide made visible. */
  readonly rows: readonly { readonly name: string; readonly value: string }[]
  readonly step: 'asks' | 'answered' | 'ran' | 'denied' | 'failed'
  /** For `addToolApprovalResponse`; present while an answer is asked for. */
  readonly approvalId?: string
}

const STEPS: Readonly<Record<string, ApprovalCard['step']>> = {
  'approval-requested': 'asks',
  'approval-responded': 'answered',
  'output-available': 'ran',
  'output-denied': 'denied',
  'output-error': 'failed',
}

/** Undefined for parts that are not about an approval. */
export function approvalCard(part: ToolPart): ApprovalCard | undefined {
  const step = Object.hasOwn(STEPS, part.state) ? STEPS[part.state] : undefined
  if (step === undefined || part.approval === undefined) return undefined
  const toolName = part.toolName ?? part.type.replace(/^tool-/, '')
  const { input } = part
  return {
    toolName: visible(toolName),
    question: `Approve ${visible(toolName)} with ${visible(JSON.stringify(input) ?? '')}?`,
    rows: rowsOf(input),
    step,
    ...(step === 'asks' ? { approvalId: part.approval.id } : {}),
  }
}

/** One row per member; none of what is no object. */
export function rowsOf(input: unknown): ApprovalCard['rows'] {
  const members = typeof input === 'object' && input !== null ? Object.entries(input) : []
  return members.map(([name, value]) => {
    return { name: visible(name), value: visible(JSON.stringify(value) ?? '') }
  })
}

/** Text direction marks, joiners and controls as their numbers: a card must not be written by them. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => {
    return `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`
  })
}
