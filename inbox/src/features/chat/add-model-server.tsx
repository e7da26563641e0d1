import { type FormEvent, type ReactNode, useState } from 'react'
import { useSetModelServer } from '../../api/model-servers.ts'
import { FormActions } from '../../components/form-actions.tsx'
import { t } from '../../lib/language/t.ts'

const APIS = {
  openai: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  google: 'Google',
} as const
type Api = keyof typeof APIS

/** The key is typed once. Nothing of the form is kept in the page. */
export function AddModelServer({ onDone }: { onDone: () => void }) {
  const set = useSetModelServer()
  const [api, setApi] = useState<Api>('openai')
  const isOpenAi = api === 'openai'
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const models = text('models')
      .split(/[\s,]+/)
      .filter(Boolean)
    const body = {
      wire: api,
      ...(text('url') === '' ? {} : { url: text('url') }),
      ...(text('key') === '' ? {} : { key: text('key') }),
      ...(models.length === 0 ? {} : { models }),
    }
    set.mutate({ name: text('name'), body }, { onSuccess: onDone })
  }
  return (
    <form
      aria-label={t('Add a server of models')}
      className="grid gap-2 rounded-md bg-sunken p-3"
      onSubmit={onSubmit}
    >
      <div className="grid grid-cols-2 gap-2 max-desk:grid-cols-1">
        <Field label={t('API')}>
          <select
            className="field w-full"
            value={api}
            onChange={({ target }) => setApi(target.value as Api)}
          >
            {Object.entries(APIS).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t('Name')}>
          <input
            className="field w-full"
            name="name"
            required
            pattern="[a-z0-9][a-z0-9\-]{0,31}"
            title={t('Small letters, digits and dashes')}
            placeholder="work"
          />
        </Field>
        {isOpenAi && (
          <Field label={t('Address')}>
            <input
              className="field w-full"
              name="url"
              type="url"
              required
              placeholder="https://models.example.com/v1"
            />
          </Field>
        )}
        <Field label={isOpenAi ? t('Key, if it needs one') : t('Key')}>
          <input
            className="field w-full font-mono text-code"
            name="key"
            type="password"
            autoComplete="off"
            minLength={8}
            required={!isOpenAi}
          />
        </Field>
        <Field
          label={isOpenAi ? t('Models; empty: all it lists') : t('Models; empty: the usual one')}
        >
          <input className="field w-full" name="models" placeholder={t('name, name')} />
        </Field>
      </div>
      <FormActions
        send={t('Add')}
        small
        error={set.error}
        disabled={set.isPending}
        onBack={onDone}
      />
    </form>
  )
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is the child.
    <label className="grid min-w-0 content-start gap-1 text-xs text-ink-3">
      {label}
      {children}
    </label>
  )
}
