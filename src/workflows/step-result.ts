import { CountersignError } from '../base/errors.ts'
import type { Ended, Waits } from './drive.ts'

/** Thrown for a step without a result: it was refused, or started by a process that died. */
export class StepBlocked extends CountersignError {
  override readonly name = 'StepBlocked'
  /** `'unknown'`: it was started, how it ended is not known, and nothing starts it again. */
  readonly ran: false | 'unknown'
  /** The id of the approval. */
  readonly approval: string | undefined

  constructor(
    code: CountersignError['code'],
    message: string,
    { ran, approval }: { ran: false | 'unknown'; approval: string | undefined },
  ) {
    super(code, message)
    this.ran = ran
    this.approval = approval
  }
}

/** What the tool returned; throws, in the engine's own error, where it returned nothing. */
export function resultOf<R>({ fail }: Pick<Waits, 'fail'>, { ran }: Ended): R {
  const approval = ran.id
  switch (ran.is) {
    case 'succeeded':
      return ran.result as R
    case 'failed':
      throw fail(Object.assign(new Error(ran.error.message), { name: ran.error.name }))
    case 'unknown':
      throw fail(new StepBlocked('outcome_unknown', ran.message, { ran: 'unknown', approval }))
    case 'blocked':
      throw fail(new StepBlocked(ran.code, ran.message, { ran: false, approval }))
  }
}
