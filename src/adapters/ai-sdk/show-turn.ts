import type { ModelMessage, ToolSet } from 'ai'
import type { Approval } from '../../approval/approval.ts'
import { askedNames } from '../../approval/people/asked-names.ts'
import { isSureEnough } from '../../approval/people/person.ts'
import { isEligible } from '../../approval/people/quorum.ts'
import { isPlainObject } from '../../base/json/json.ts'
import { mask } from '../../base/secrets/mask.ts'
import type { Approvals, Shown } from '../../gate/admin/approvals.ts'
import type { Stands } from '../../gate/internals.ts'
import { type InBand, idOf } from '../in-band.ts'
import { rowsOf, visible } from './card.ts'
import { guardedBehind, stood } from './guarded-tool.ts'
import { type Request, turnRequests } from './open-requests.ts'
import type { ResumeOptions } from './resume-turn.ts'
import type { ShownCall } from './shown-call.ts'

export interface ShowOptions extends Omit<ResumeOptions, 'approvals'> {
  /** Of a gate in this process: a server shows its approvals to people alone, in the inbox. */
  readonly approvals?: Approvals
  /** Where the inbox is, as people reach it: `https://approvals.example.com`. */
  readonly inbox?: string
}

/**
 * The calls since the user's last message that people were asked about, for a page of the
 * application. The application must check that the reader is allowed to see this chat.
 */
export async function showTurn(
  tools: ToolSet,
  messages: readonly ModelMessage[],
  { by, approvals, inbox }: ShowOptions = {},
): Promise<ShownCall[]> {
  const shown: ShownCall[] = []
  for (const request of turnRequests(messages)) {
    const { toolCallId, approvalId, toolName, input } = request
    const tool = guardedBehind(Object.hasOwn(tools, toolName) ? tools[toolName] : undefined)
    const now = tool && (await stood(tool, input, toolCallId))
    const named = { toolCallId, approvalId, tool: visible(toolName) }
    if (!now) {
      shown.push({ ...named, ...asApplicationAsks(request) })
      continue
    }
    const id = idOf(now)
    const record = id === undefined ? undefined : await approvals?.get(id)
    const digest = record?.approval.digest ?? digestOf(now)
    shown.push({
      ...named,
      ...(record ? recorded(record) : unrecorded(toolName, input, id === undefined ? {} : now)),
      status: statusOf(now, record?.approval),
      here: now.status === 'pending' && record !== undefined && mayAnswer(record.approval, by),
      ...(digest === undefined ? {} : { digest }),
      ...(now.status === 'blocked' ? { message: visible(now.modelMessage) } : {}),
      ...(inbox === undefined || id === undefined ? {} : { inbox: linkTo(inbox, id) }),
    })
  }
  return shown
}

/** A question of the SDK alone, as the messages have it: the application asks, and the chat answers. */
function asApplicationAsks({ toolName, input, answer, isDone }: Request) {
  const status = answer === undefined ? 'waiting' : answer.approved ? 'approved' : 'refused'
  return {
    ...unrecorded(toolName, input, { id: '' }),
    status: isDone && status === 'approved' ? ('ran' as const) : status,
    here: status === 'waiting' && !isDone,
  } as const
}

function statusOf(now: Stands, approval: Approval | undefined): ShownCall['status'] {
  if (now.status === 'pending') return 'waiting'
  if (now.status === 'blocked') return 'refused'
  const execution = approval?.execution?.state ?? ('execution' in now ? now.execution : undefined)
  if (execution === 'succeeded') return 'ran'
  return execution === 'failed' ? 'failed' : 'approved'
}

/** Gates over HTTP say it beside the id. */
function digestOf(now: object): string | undefined {
  return 'digest' in now && typeof now.digest === 'string' ? now.digest : undefined
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

/** What asking about this very input was answered with; nothing where people were not asked. */
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
