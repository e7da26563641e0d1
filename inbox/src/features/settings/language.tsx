import { LANGUAGES, ownName } from '../../lib/language/language.ts'
import { t } from '../../lib/language/t.ts'
import { changeSettings, useSettings } from '../../lib/settings.ts'

/** Each language by its own name: people who look for theirs may not read the present one. */
export function Language({ labelledBy }: { labelledBy: string }) {
  const { language } = useSettings()
  return (
    <select
      className="field max-w-full"
      aria-labelledby={labelledBy}
      value={LANGUAGES.includes(language) ? language : ''}
      onChange={({ target }) => changeSettings({ language: target.value })}
    >
      <option value="">{t('As the browser')}</option>
      {LANGUAGES.map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {ownName(tag)}
        </option>
      ))}
    </select>
  )
}
