import type { Approval } from '../approval.ts'
import type { Decide, Edit } from '../command.ts'
import { contentOf } from '../outcome.ts'
import type { Content } from '../transition.ts'

/** What a person wrote or changed, to be kept beside the record. */
export function contentFor(approval: Approval, command: Decide): Content[] {
  const { reason, payload, answer } = command
  const edit = command.edit?.digest === approval.digest ? undefined : command.edit
  return [
    ...contentOf(approval, 'reason', reason),
    ...contentOf(approval, 'payload', payload),
    ...contentOf(approval, 'answer', answer),
    ...contentOf(approval, 'arguments', edit?.arguments),
    ...contentOf(approval, 'question', edit && questionOf(edit)),
  ]
}

function questionOf({ message, missing, view }: Edit) {
  return { message, missing, ...(view ? { view: { ...view } } : {}) }
}
