import { Suspense } from 'react'
import type { ApprovalCard } from '../../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../../src/api/common.ts'
import { UntrustedText } from '../../../components/untrusted-text.tsx'
import { whyNotWords } from '../../../lib/approval/asked-words.ts'
import { rich } from '../../../lib/language/rich.ts'
import { t } from '../../../lib/language/t.ts'
import { lazy } from '../../../lib/lazy.tsx'
import { span } from '../../../lib/time/clock.ts'

// Most calls need one yes, and no stand-in.
const Filling = lazy(() => import('./filling.tsx'), 'Filling')
const Away = lazy(() => import('./away.tsx'), 'Away')

interface EffectProps {
  readonly card: ApprovalCard
  readonly me: WirePerson | undefined
  readonly over: boolean
}

/** What a yes of this reader does, in a sentence. */
export function Effect(props: EffectProps) {
  const { mine } = props.card
  if (props.over || !mine.may || mine.for === undefined) return <OwnEffect {...props} />
  return (
    <>
      <Suspense fallback={null}>
        <Away people={mine.for} />
      </Suspense>{' '}
      <OwnEffect {...props} />
    </>
  )
}

function OwnEffect({ card, me, over }: EffectProps) {
  const { met, mine, terms, can, level } = card
  if (over) return t('Expired. Checking whether someone decided first.')
  if (!mine.may) return <UntrustedText text={whyNotWords(mine)} />
  if (!can.includes('approve')) return t('You may deny this call, not approve it.')
  if (level === 'review' && met.need - met.have > 1)
    return (
      <Suspense fallback={null}>
        <Filling card={card} me={me} />
      </Suspense>
    )
  return (
    <>
      {rich('Approve{value} and it runs {b}, within {time}.', {
        value: terms.minAssurance === 'passkey' && ` ${t('with your passkey')}`,
        b: <b>{t('once')}</b>,
        time: span(terms.useBy),
      })}
    </>
  )
}
