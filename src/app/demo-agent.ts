import type { JsonObject } from '../base/json/json.ts'
import type { Gate } from '../gate/gate.ts'
import type { ToolEntry } from '../policy/document.ts'
import { loadOwner, policyError } from '../policy/load/load.ts'
import { type Route, route } from '../server/http/route.ts'
import type { Services } from '../server/services.ts'

const SAMPLE_POLICY = `version: 1
tools:
  sample_read_calendar:
    description: Sample. Reads a made-up calendar.
    approval: false
  sample_send_mail:
    description: Sample. Sends nothing.
    risk: L2
    approval:
      message_template: "Send '{{tool_args.subject}}' to {{tool_args.to}}?"
  sample_pay_invoice:
    description: Sample. Pays nothing.
    risk: L3
    approval:
      message_template: "Pay {{tool_args.amount}} {{tool_args.currency}} to {{tool_args.to}}?"
      edit: [amount, memo]
  sample_transfer_money:
    description: Sample. Moves nothing.
    risk: L4
    secrets: [account_key]
    approval:
      message_template: "Transfer {{tool_args.amount}} {{tool_args.currency}} to {{tool_args.to}}?"
      condition: { args_match: { amount: { gt: 1000 } } }
      approvers: ["*"]
      edit: [amount, memo]
`

/** Rules for the tools of the demo agent, as if it had declared them in its code. */
export function demoTools(): ReadonlyMap<string, ToolEntry> {
  const loaded = loadOwner({ file: 'demo', text: SAMPLE_POLICY })
  if (!loaded.ok) throw policyError(loaded.mistakes)
  return loaded.document.tools
}

/** How people start the demo agent. A server that does not offer it has no such route. */
export function demoRoutes({ gate, stopping }: Services): readonly Route[] {
  const start = demoAgent(gate, stopping)
  return [route('POST /v1/demo', async ({ reply }) => reply(200, { run: await start() }))]
}

const TEXT = { type: 'string' }

export interface SampleTool {
  readonly name: string
  readonly says: string
  readonly schema: JsonObject
  readonly args: JsonObject
  readonly result: JsonObject
}

/** Only in the chat: a payment that the person in front of it confirms. */
const PAY: SampleTool = {
  name: 'sample_pay_invoice',
  says: '',
  schema: {
    type: 'object',
    properties: {
      to: TEXT,
      amount: { type: 'number' },
      currency: { type: 'string', enum: ['EUR', 'USD'] },
      memo: TEXT,
    },
    required: ['to', 'amount', 'currency'],
  },
  args: {},
  result: { paid: 0, note: 'This is a sample. Nothing was paid.' },
}

const TOOLS: readonly SampleTool[] = [
  {
    name: 'sample_read_calendar',
    says: 'I look up when the team is free.',
    schema: { type: 'object', properties: { day: TEXT }, required: ['day'] },
    args: { day: 'Thursday' },
    result: { free: ['10:00', '14:30'], note: 'This is a sample. No calendar was read.' },
  },
  {
    name: 'sample_send_mail',
    says: 'I found a time that suits the whole team and want to invite them.',
    schema: {
      type: 'object',
      properties: { to: TEXT, subject: TEXT, body: TEXT },
      required: ['to', 'subject', 'body'],
    },
    args: {
      to: 'team@example.com',
      subject: 'Planning on Thursday at 10:00',
      body: 'Hello all,\n\nThursday at 10:00 suits the whole team. See you there.\n',
    },
    result: { sent: false, note: 'This is a sample. No mail was sent.' },
  },
  {
    name: 'sample_transfer_money',
    says: 'The invoice of the venue is due today, so I pay it now.',
    schema: {
      type: 'object',
      properties: {
        to: TEXT,
        amount: { type: 'number' },
        currency: { type: 'string', enum: ['EUR', 'USD'] },
        memo: TEXT,
        account_key: TEXT,
      },
      required: ['to', 'amount', 'currency'],
    },
    args: {
      to: 'Harbour Rooms Ltd',
      amount: 12500,
      currency: 'EUR',
      memo: 'Invoice 2041',
      account_key: 'sample-key-1234',
    },
    result: { moved: 0, note: 'This is a sample. No money was moved.' },
  },
]

/** What the chat offers where the demo agent is: nothing of it does anything. */
export const SAMPLE_TOOLS: readonly SampleTool[] = [PAY, ...TOOLS]

/**
 * A scripted agent for people who look at Countersign for the first time. What it does is made up;
 * the gate it goes through, the questions and the record are the real ones. Answers with the run
 * its calls belong to, once all of them are asked or over.
 */
function demoAgent(gate: Gate, stopped: AbortSignal): () => Promise<string> {
  return async () => {
    const run = `sample-${crypto.randomUUID().slice(0, 8)}`
    const own = gate.with({ agent: 'sample-agent', door: 'sample', run })
    await Promise.all(TOOLS.map((tool, index) => begin(own, tool, `step-${index + 1}`, stopped)))
    return run
  }
}

function begin(gate: Gate, tool: SampleTool, key: string, signal: AbortSignal): Promise<void> {
  const { name, says, schema, args, result } = tool
  const call = { tool: name, args, key, context: { says: `Sample agent: ${says}` } }
  const definition = { inputSchema: schema }
  return new Promise((resolve) => {
    const done = () => resolve()
    const options = { waitFor: '1h', signal, onPending: done }
    gate.run(call, { name, definition, run: () => result }, options).then(done, done)
  })
}
