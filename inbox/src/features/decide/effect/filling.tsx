import { useQuery } from '@tanstack/react-query'
import type { ApprovalCard } from '../../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../../src/api/common.ts'
import { meQuery } from '../../../api/session/session.ts'
import { andList } from '../../../lib/language/language.ts'
import { rich } from '../../../lib/language/rich.ts'
import { t } from '../../../lib/language/t.ts'
import { visibleText } from '../../../lib/text/invisible-characters.ts'
import { filledBy } from './filled-by.ts'

interface FillingProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
}

/** Which of the places that are left a yes of this reader fills. */
export function Filling({ card, me }: FillingProps) {
  const { data } = useQuery(meQuery)
  const { met, requirements } = card
  const count = (have: number) => <b>{t('{have} of {need}', { have, need: met.need })}</b>
  if (requirements.length === 1) {
    return <>{rich('Your yes counts as {value}', { value: count(met.have + 1) })}.</>
  }
  const { names, isAll } = filledBy(card, me, data?.roles.includes('approver') === true)
  if (names.length === 0) {
    return rich('{have} approvals so far. Yours counts once for each rule that names you.', {
      have: count(met.have),
    })
  }
  const filled = andList(names.map(visibleText))
  return isAll
    ? rich('Your yes fills {names}: {value}.', {
        names: filled,
        value: count(met.have + names.length),
      })
    : rich('Your yes fills {names}; {value} so far.', { names: filled, value: count(met.have) })
}
