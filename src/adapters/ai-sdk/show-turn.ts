import type { ModelMessage, ToolSet } from 'ai'
import type { Approval } from '../../approval/approval.ts'
import { askedNames } from '../../approval/asked-names.ts'
import { isSureEnough } from '../../approval/decide.ts'
import { isEligible } from '../../approval/eligibility.ts'
import { isPlainObject } from '../../base/json.ts'
import { mask } from '../../base/mask.ts'
import type { Stands } from '../../gate/any-gate.ts'
import type { Approvals, Shown } from '../../gate/approvals.ts'
import { type InBand, idOf } from '../in-band.ts'
import { rowsOf, visible } from './card.ts'
import { guardedBehind, stands } from './guard-tools.ts'
import { turnRequests } from './open-requests.ts'
import type { ResumeOptions } from './resume-turn.ts'
import type { ShownCall } from './shown-call.ts'

export interface ShowOptions extends Omit<ResumeOptions, 'approvals'> {
  /** Of a gate in this process: a server shows its approvals to people alone, in the inbox. */
  readonly approvals?: Approvals
  /** Where the inbox is, as people reach it: `https://approvals.example.com`. */
  readonly inbox?: string
}

/**
 * The calls since the user's last message that people were asked about, for a page of the application. Whoever reads them must be
 * allowed to see this chat: that is the application's to check.
 */
export async function showTurn(
  tools: ToolSet,
  messages: readonly ModelMessage[],
  { by, approvals, inbox }: ShowOptions = {},
): Promise<ShownCall[]> {
  const shown: ShownCall[] = []
  for (const { toolCallId, approvalId, toolName, input } of turnRequests(messages)) {
    const tool = guardedBehind(Object.hasOwn(tools, toolName) ? tools[toolName] : undefined)
    if (!tool) continue
    const now = await stands(tool, input, toolCallId)
    const id = idOf(now)
    const record = id === undefined ? undefined : await approvals?.get(id)
    shown.push({
      toolCallId,
      approvalId,
      tool: visible(toolName),
      ...(record ? recorded(record) : unrecorded(toolName, input, id === undefined ? {} : now)),
      status: statusOf(now, record?.approval),
      here: now.status === 'pending' && record !== undefined && mayAnswer(record.approval, by),
      ...(now.status === 'deny' ? { message: visible(now.message) } : {}),
      ...(inbox === undefined || id === undefined ? {} : { inbox: linkTo(inbox, id) }),
    })
  }
  return shown
}

function statusOf(now: Stands, approval: Approval | undefined): ShownCall['status'] {
  if (now.status === 'pending') return 'waiting'
  if (now.status === 'deny') return 'refused'
  const execution = approval?.execution?.state ?? ('execution' in now ? now.execution : undefined)
  if (execution === 'succeeded') return 'ran'
  return execution === 'failed' ? 'failed' : 'approved'
}

function recorded({ approval, args, question }: Shown) {
  const { requirements, decideBy } = approval
  const says = question?.context?.says
  return {
    question: visible(question?.message ?? ''),
    rows: rowsOf(args),
    who: [...new Set(requirements.flatMap((_, index) => whoFor(approval, index)))],
    decideBy,
    ...(typeof says === 'string' ? { says: visible(says) } : {}),
  }
}

/** `2 of group finance`: a quorum names its own people. */
function whoFor(approval: Approval, index: number): string[] {
  const quorum = approval.requirements[index]?.quorum ?? []
  return [...quorum.map(({ group, n }) => `${n} of group ${group}`), ...askedNames(approval, index)]
}

/** What asking about this very input was answered with; of what nobody was asked about, nothing. */
function unrecorded(toolName: string, input: unknown, asked: object) {
  const isAsked = 'id' in asked
  const args = isAsked && isPlainObject(input) ? mask(input).value : undefined
  return {
    question: isAsked ? `Run ${visible(toolName)} with these arguments?` : visible(toolName),
    rows: rowsOf(args),
    who: [],
    ...('decideBy' in asked && typeof asked.decideBy === 'number'
      ? { decideBy: asked.decideBy }
      : {}),
  }
}

/** For display: whether it counts is decided again when the answer comes. */
function mayAnswer(approval: Approval, by: InBand['by'] | undefined): boolean {
  if (by === undefined || approval.level !== 'confirm') return false
  const person = { ...by, assurance: 'chat' } as const
  return isEligible(approval, person) && isSureEnough(person, approval.terms)
}

function linkTo(inbox: string, id: string): string {
  return new URL(`/approvals/${encodeURIComponent(id)}`, inbox).href
}
