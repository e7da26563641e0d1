import { SquareTerminal } from 'lucide-react'
import { type FormEvent, useEffect, useState } from 'react'
import { useConfirmLogin } from '../../api/session/sign-in.ts'
import { ErrorMessage } from '../../components/error-message.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** Signs in a terminal on another machine, as the person who types the code it shows. */
export function LoginPage() {
  const [code, setCode] = useState('')
  const confirm = useConfirmLogin()
  useEffect(() => {
    document.title = `${t('Sign in a terminal')} · Countersign`
  }, [])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    confirm.mutate(code.trim().toUpperCase(), { onSuccess: () => setCode('') })
  }
  return (
    <main className="grid content-start justify-center bg-canvas px-4 py-10">
      <form className="grid max-w-[420px] gap-3" onSubmit={onSubmit}>
        <h1 className="flex items-center gap-2 text-xl">
          <SquareTerminal size={20} aria-hidden="true" /> {t('Sign in a terminal')}
        </h1>
        <p className="text-ink-2">
          {rich(
            'Type the code that {code} shows on your own terminal. It will decide as you. Never type a code that someone sent you.',
            { code: <code className="text-ink">countersign login</code> },
          )}
        </p>
        <label className="grid gap-1">
          <span className="font-medium text-ink-2">{t('Code')}</span>
          <input
            type="text"
            className="field h-10 font-mono text-code uppercase"
            autoComplete="off"
            spellCheck={false}
            maxLength={9}
            value={code}
            onChange={({ target }) => setCode(target.value)}
          />
        </label>
        {confirm.isSuccess && (
          <p role="status">{t('The terminal is signed in as you. You can close this page.')}</p>
        )}
        <ErrorMessage error={confirm.error} inline />
        <button type="submit" className="btn btn-solid h-[42px]" disabled={code.trim().length < 8}>
          {t('Sign it in')}
        </button>
      </form>
    </main>
  )
}
