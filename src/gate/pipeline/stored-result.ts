import type { AskedCall } from '../../approval/approval.ts'
import type { Finish } from '../../approval/command.ts'
import type { Json } from '../../base/json/json.ts'
import type { Policy } from '../../policy/policy.ts'

/**
 * What of a result goes into the record. What is not JSON or too large is left out where the
 * record is made; the outcome counts all the same.
 */
export function keptResult(
  { owner, code, called }: Policy,
  { kind, server, tool }: AskedCall,
  result: unknown,
): Pick<Finish, 'result' | 'drop'> {
  const own = kind === 'tool' && server === undefined
  const drop =
    called?.result === 'drop' ||
    (own && [owner.tools, code].some((tools) => tools.get(tool)?.result === 'drop'))
  if (drop) return { drop: true }
  return result === undefined ? {} : { result: result as Json }
}
