import { Suspense } from 'react'
import { Refused } from '../../../../src/api/client.ts'
import { useCard } from '../../api/approvals.ts'
import { useConnection } from '../../api/connection.ts'
import { errorMessage } from '../../api/errors.ts'
import { t } from '../../lib/language/t.ts'
import { lazy } from '../../lib/lazy.tsx'
import { type CardProps, LoadedCard } from './loaded-card.tsx'

// Most calls have no form: what fills one in is loaded with the first call that has.
const FormCard = lazy(() => import('./form-card.tsx'), 'FormCard')

/** One call, whole, and everything that can be done about it. */
export function Card({ id, ...rest }: CardProps) {
  const { data: card, error } = useCard(id)
  const { state } = useConnection()
  if (card !== undefined) {
    if (card.form === undefined) return <LoadedCard card={card} {...rest} />
    return (
      <Suspense fallback={<Loading />}>
        <FormCard card={card} {...rest} />
      </Suspense>
    )
  }
  if (error instanceof Refused)
    return (
      <Absent
        text={
          error.status === 404
            ? t('There is no such call, or it is not yours to see.')
            : errorMessage(error)
        }
      />
    )
  if (error || state === 'off')
    return <Absent text={t('The server does not answer, and this call was not loaded before.')} />
  return <Loading />
}

function Absent({ text }: { text: string }) {
  return (
    <div className="grid flex-1 place-content-center gap-2 px-6 text-center">
      <p className="text-ink-2" role="status">
        {text}
      </p>
    </div>
  )
}

function Loading() {
  return (
    <div
      aria-busy="true"
      className="mx-auto grid w-full max-w-[1020px] content-start gap-4 px-6 pt-5"
    >
      <span className="waiting w-[30%]" />
      <span className="waiting h-[22px] w-[60%]" />
      <span className="waiting w-[45%]" />
      <div className="ledger frame">
        <div className="grid gap-5 px-4 py-5">
          {[70, 50, 82, 64, 58, 76].map((width) => (
            <span key={width} className="waiting" style={{ width: `${width}%` }} />
          ))}
        </div>
      </div>
      <p className="text-center text-ink-3">
        {t('Loading the call. Buttons appear when all of it is here.')}
      </p>
    </div>
  )
}
