import { type CSSProperties, createElement as h, type ReactElement, useId, useState } from 'react'
import { visible } from '../card.ts'
import type { ShownCall } from '../shown-call.ts'

/** An answer given on the card: as `addToolApprovalResponse` takes it, and what was shown. */
export interface CardAnswer {
  readonly id: string
  readonly approved: boolean
  /** Why not, for the model and the record. */
  readonly reason?: string
  readonly toolCallId: string
  /** Names exactly what the card showed. */
  readonly digest?: string
}

export interface ApprovalCardProps {
  /** What the server says of the call; nothing of the chat's message is shown. */
  readonly call: ShownCall | undefined
  /**
   * `answer` of `useApprovals`, or `addToolApprovalResponse` of `useChat`. Without it nothing can be
   * answered here.
   */
  readonly onAnswer?: (answer: CardAnswer) => unknown
  /** Ends the call with a text in place of a result; the conversation then waits. */
  readonly onInstead?: (answer: { readonly toolCallId: string; readonly text: string }) => unknown
  /** What the status is read from may be old. */
  readonly isStale?: boolean
  readonly className?: string
}

const STATUS: Readonly<Record<ShownCall['status'], string>> = {
  waiting: 'Waiting for people',
  approved: 'Approved',
  ran: 'Ran',
  failed: 'Ran, and failed',
  refused: 'Does not run',
}

/** One call that waits, as the approvals know it. It shows and passes on; it never decides. */
export function ApprovalCard(props: ApprovalCardProps): ReactElement {
  const { call, className, isStale = false } = props
  const title = useId()
  const shell = { className: className ?? 'countersign-card', style: LOOK.card }
  if (call === undefined) {
    return h(
      'section',
      { ...shell, 'aria-busy': true },
      h('p', { role: 'status' }, 'Asking how this call stands…'),
    )
  }
  const { tool, question, rows, who, says, message, decideBy } = call
  return h(
    'section',
    { ...shell, 'aria-labelledby': title },
    h('p', { id: title, style: LOOK.title }, visible(question)),
    h(
      'p',
      { role: 'status', style: LOOK.quiet },
      statusOf(call),
      isStale ? ' (not confirmed right now)' : '',
    ),
    message === undefined ? null : h('p', null, visible(message)),
    h(
      'table',
      { style: LOOK.table },
      h('caption', { style: LOOK.caption }, 'Tool ', h('code', null, visible(tool))),
      h(
        'tbody',
        null,
        rows.map(({ name, value }) => rowOf(name, value)),
      ),
    ),
    who.length === 0
      ? null
      : h('p', { style: LOOK.quiet }, `Asked: ${who.map(visible).join(', ')}`),
    decideBy === undefined ? null : h('p', { style: LOOK.quiet }, 'Until ', timeOf(decideBy)),
    says === undefined ? null : claimed(says),
    // Another question about the same call is answered anew.
    h(Actions, { key: call.digest ?? '', ...props, call }),
  )
}

function statusOf({ status, here }: ShownCall): string {
  return status === 'waiting' && here ? 'Waiting for your answer' : STATUS[status]
}

function rowOf(name: string, value: string): ReactElement {
  return h(
    'tr',
    { key: name },
    h('th', { scope: 'row', style: LOOK.name }, visible(name)),
    h('td', { style: LOOK.value }, visible(value)),
  )
}

function timeOf(at: number): ReactElement {
  const date = new Date(at)
  return h('time', { dateTime: date.toISOString() }, date.toLocaleString())
}

/** Kept apart from what is known: the agent wrote this, or an attacker who steers it. */
function claimed(says: string): ReactElement {
  return h(
    'blockquote',
    { style: LOOK.claimed, 'aria-label': 'Said by the agent, not checked' },
    h('strong', null, 'The agent says, unchecked: '),
    visible(says),
  )
}

function Actions({ call, onAnswer, onInstead }: ApprovalCardProps & { readonly call: ShownCall }) {
  const [answered, setAnswered] = useState<boolean>()
  const [reason, setReason] = useState('')
  const { approvalId: id, toolCallId, status, here, inbox, digest } = call
  if (status !== 'waiting') return null
  const answer = (approved: boolean) => {
    setAnswered(approved)
    onAnswer?.({
      id,
      approved,
      toolCallId,
      ...(digest === undefined ? {} : { digest }),
      ...(approved || reason.trim() === '' ? {} : { reason }),
    })
  }
  const button = (label: string, approved: boolean) =>
    h(
      'button',
      {
        type: 'button',
        disabled: answered !== undefined,
        onClick: () => answer(approved),
        style: LOOK.button,
      },
      label,
    )
  const isLink = inbox !== undefined && /^https?:\/\//i.test(inbox)
  return h(
    'div',
    { style: LOOK.actions },
    here && onAnswer
      ? [
          h('span', { key: 'yes' }, button('Approve', true)),
          h('span', { key: 'no' }, button('Deny', false)),
          h('input', {
            key: 'why',
            'aria-label': 'Reason for denying',
            placeholder: 'Reason, if you deny',
            value: reason,
            disabled: answered !== undefined,
            onChange: (event: { target: { value: string } }) => setReason(event.target.value),
            style: LOOK.input,
          }),
        ]
      : null,
    isLink
      ? h('a', { href: inbox, target: '_blank', rel: 'noopener noreferrer' }, 'Open in the inbox')
      : null,
    answered === undefined ? null : h('span', { style: LOOK.quiet }, 'Your answer is on its way.'),
    onInstead ? h(Instead, { onText: (text) => onInstead({ toolCallId, text }) }) : null,
  )
}

function Instead({ onText }: { readonly onText: (text: string) => unknown }): ReactElement {
  const [text, setText] = useState('')
  return h(
    'form',
    {
      style: LOOK.line,
      onSubmit: (event: { preventDefault(): void }) => {
        event.preventDefault()
        if (text.trim() !== '') onText(text)
      },
    },
    h('input', {
      'aria-label': 'What to tell the model instead of a result',
      placeholder: 'Or tell the model something instead',
      value: text,
      onChange: (event: { target: { value: string } }) => setText(event.target.value),
      style: LOOK.input,
    }),
    h('button', { type: 'submit', disabled: text.trim() === '', style: LOOK.button }, 'Tell'),
  )
}

/** The page's own font and colours: enough to be read, little enough to be overruled. */
const LOOK = {
  card: {
    border: '1px solid color-mix(in srgb, currentColor 25%, transparent)',
    borderRadius: 8,
    padding: '12px 16px',
    margin: '8px 0',
    maxWidth: '40rem',
    overflowWrap: 'anywhere',
  },
  title: { margin: 0, fontWeight: 'bold' },
  quiet: { margin: '4px 0', opacity: 0.8, fontSize: '0.9em' },
  table: { width: '100%', borderCollapse: 'collapse', margin: '8px 0' },
  caption: { textAlign: 'start', fontSize: '0.9em', paddingBottom: 4 },
  name: {
    textAlign: 'start',
    verticalAlign: 'top',
    fontWeight: 'normal',
    opacity: 0.8,
    padding: '2px 12px 2px 0',
    whiteSpace: 'nowrap',
  },
  value: {
    width: '100%',
    fontFamily: 'ui-monospace, monospace',
    whiteSpace: 'pre-wrap',
    padding: '2px 0',
  },
  claimed: {
    margin: '8px 0',
    padding: '4px 12px',
    borderInlineStart: '3px dashed color-mix(in srgb, currentColor 40%, transparent)',
  },
  actions: { display: 'flex', flexWrap: 'wrap', gap: 8, alignItems: 'center', marginTop: 8 },
  line: { display: 'flex', flexWrap: 'wrap', gap: 8, flexBasis: '100%' },
  button: { font: 'inherit', padding: '6px 14px', minHeight: 32, cursor: 'pointer' },
  input: { font: 'inherit', padding: '6px 8px', flex: '1 1 18rem' },
} as const satisfies Readonly<Record<string, CSSProperties>>
