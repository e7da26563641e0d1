/** The workflows of the cases, written once for all engines. Pure: some engines run them in a sandbox. */
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import type { Decision } from '../../src/workflows/decision.ts'
import type { StepOptions } from '../../src/workflows/guard-step.ts'
import type { ApprovalRequest } from '../../src/workflows/question.ts'

/** What a body does, in the words of its engine. */
export interface Doing {
  readonly input: JsonObject
  step<T>(name: string, work: () => Promise<T>): Promise<T>
  waitForApproval(request: ApprovalRequest): Promise<Decision>
  requireApproval(request: ApprovalRequest): Promise<Decision>
  pay(args: JsonObject, options?: StepOptions): Promise<Json>
  break(args: JsonObject): Promise<Json>
  /** Runs both at once, as the engine wants it done. */
  both<T>(works: readonly [() => Promise<T>, () => Promise<T>]): Promise<T[]>
}

export type Body = (doing: Doing) => Promise<Json>

export interface Writing {
  write(line: string): void
}

export function bodies({ write }: Writing): Readonly<Record<string, Body>> {
  /** A step before the gate: it must not run again after the wait. */
  const prepare = ({ step, input }: Doing) =>
    step('prepare', async () => {
      write(`prepare ${String(input.id)}`)
      return null
    })

  return {
    async expense(doing) {
      await prepare(doing)
      const { input } = doing
      const decision = await doing.waitForApproval({
        name: 'review',
        title: `Review ${String(input.id)} {{nothing}}`,
        description: 'before it is paid',
        args: { id: input.id ?? null, amount: input.amount ?? null },
        approvers: [{ group: 'finance' }],
        timeout: String(input.timeout ?? '7 days'),
        approval: { edit: true },
      })
      return decision as unknown as Json
    },
    /** The approver says how much; what the workflow does next is shown to them. */
    async release(doing) {
      await prepare(doing)
      const decision = await doing.waitForApproval({
        name: 'release',
        title: 'Release the deposit',
        args: { id: doing.input.id ?? null },
        form: {
          type: 'object',
          required: ['amount'],
          properties: { note: { type: 'string' }, amount: { type: 'integer', maximum: 500 } },
        },
        workflow: { name: 'deposit', done: ['prepare'], next: ['pay', 'mail'] },
      })
      return decision as unknown as Json
    },
    async required(doing) {
      await doing.requireApproval({ name: 'review', args: { id: doing.input.id ?? null } })
      return 'went on'
    },
    async pay(doing) {
      await prepare(doing)
      return doing.pay(doing.input)
    },
    async twice(doing) {
      const { id = null } = doing.input
      const first = await doing.waitForApproval({ name: 'first', args: { id } })
      const second = await doing.waitForApproval({ name: 'second', args: { id } })
      return [first.status, second.status]
    },
    async loop(doing) {
      const statuses: Json[] = []
      for (let round = 0; round < 3; round += 1) {
        const { status } = await doing.waitForApproval({ name: 'again', args: { same: true } })
        statuses.push(status)
      }
      return statuses
    },
    async branches(doing) {
      const one = (name: string) => async () => {
        const { status } = await doing.waitForApproval({ name, args: { same: true } })
        return `${name} ${status}`
      }
      return doing.both([one('left'), one('right')])
    },
    async unwoken(doing) {
      const looks = ['1s']
      const { status } = await doing.waitForApproval({ name: 'unwoken', looks })
      return status
    },
    async patient(doing) {
      const looks = ['1s', '1h']
      const { status } = await doing.waitForApproval({ name: 'patient', looks })
      return status
    },
    async slow(doing) {
      const { status } = await doing.waitForApproval({ name: 'slow' })
      return status
    },
    async frozen(doing) {
      const { status, code = null } = await doing.waitForApproval({ name: 'frozen' })
      return { status, code }
    },
    async breaks(doing) {
      return doing.break(doing.input)
    },
    /** Two gates, of either kind, with steps around them: what the kills are aimed at. */
    async whole(doing) {
      const { id = null, amount = null } = doing.input
      await prepare(doing)
      const review = await doing.requireApproval({ name: 'review', args: { id, amount } })
      const paid = await doing.pay({ id, amount })
      await doing.step('finish', async () => {
        write(`finish ${String(id)}`)
        return null
      })
      return { review: review.status, by: [...review.by], paid }
    },
  }
}
