import { rich } from '../../lib/language/rich.ts'
import { visibleText } from '../../lib/text/invisible-characters.ts'
import { Leaf } from '../card/arguments/argument-tree.tsx'
import { nameOf } from './batch-call.tsx'
import { type groupCalls, togetherOf } from './like-calls.ts'

interface BatchTitleProps {
  readonly groups: ReturnType<typeof groupCalls>
  readonly count: number
}

/** `5 calls of refund, 148.5 together`, where all of them are like calls. */
export function BatchTitle({ groups: [like, other], count }: BatchTitleProps) {
  if (like === undefined || other !== undefined || !('calls' in like) || like.calls.length < count)
    return rich('{ids} calls together', { ids: count })
  const [first] = like.calls
  const name = <code className="text-xl">{first && visibleText(nameOf(first.card))}</code>
  const total = togetherOf(like)
  if (total === undefined) return rich('{calls} calls of {name}', { calls: count, name })
  return rich('{calls} calls of {name}, {total} together', {
    calls: count,
    name,
    total: (
      <span className="font-mono">
        <Leaf value={total} />
      </span>
    ),
  })
}
