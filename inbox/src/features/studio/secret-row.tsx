import { type FormEvent, useState } from 'react'
import type { StudioTool } from '../../../../src/api/studio/studio.ts'
import { useSetSecret } from '../../api/studio.ts'
import { FormActions } from '../../components/form-actions.tsx'
import { rich } from '../../lib/language/rich.ts'
import { t } from '../../lib/language/t.ts'

/** The value of a secret is written once and never shown again. */
export function SecretRow({ tool, secret }: { tool: StudioTool; secret: string }) {
  const set = useSetSecret(tool.name)
  const [value, setValue] = useState<string>()
  const known = tool.secrets.find(({ name }) => name === secret)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    const given = { secret, value: value ?? '', revision: tool.revision }
    set.mutate(given, { onSuccess: () => setValue(undefined) })
  }
  if (value === undefined) {
    return (
      <p className="flex flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-2">
        <code>{secret}</code>
        <span className="flex-1 text-ink-2">
          {known ? t('set, for {hosts}', { hosts: known.hosts.join(', ') }) : t('has no value yet')}
        </span>
        <button type="button" className="btn btn-small" onClick={() => setValue('')}>
          {known ? t('Replace') : t('Set value')}
          <span className="sr-only"> {rich('of {secret}', { secret })}</span>
        </button>
      </p>
    )
  }
  return (
    <form
      aria-label={t('Value of {secret}', { secret })}
      className="grid gap-2 rounded-md bg-sunken px-3 py-2"
      onSubmit={onSubmit}
    >
      <label className="grid gap-1 text-xs text-ink-3">
        {rich('Value of {secret}', { secret })}
        <input
          className="field font-mono text-code"
          type="password"
          autoComplete="off"
          minLength={8}
          required
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      </label>
      <p className="text-xs text-ink-2">
        {t(
          'It is sealed on the server and goes out only with requests to the hosts of the saved draft.',
        )}
      </p>
      <FormActions
        send={t('Keep it')}
        small
        error={set.error}
        disabled={set.isPending}
        onBack={() => setValue(undefined)}
      />
    </form>
  )
}
