import type { StudioTool, WireToolSpec } from '../../../../src/api/studio/studio.ts'
import { msg, say, t } from '../../lib/language/t.ts'
import { SecretRow } from './secret-row.tsx'

type Capabilities = WireToolSpec['capabilities']

interface CapabilityFormProps {
  readonly tool: StudioTool
  readonly capabilities: Capabilities
  readonly onCapabilities: (capabilities: Capabilities) => void
}

const BOXES = [
  ['write', msg('May change things there'), msg('sends more than GET and HEAD')],
  ['kv', msg('Keeps values'), msg('up to 200 keys of its own between calls')],
  ['irreversible', msg('Cannot be undone'), msg('what it does is final: L5')],
] as const

/** What a tool may do. Everything that is not named here is refused. */
export function CapabilityForm({ tool, capabilities, onCapabilities }: CapabilityFormProps) {
  const set = (some: Partial<Capabilities>) => onCapabilities({ ...capabilities, ...some })
  return (
    <fieldset className="grid min-w-0 gap-2.5">
      <legend className="mb-1.5 text-md font-semibold">{t('What it may do')}</legend>
      <Words
        label={t('Hosts it may reach')}
        hint={t('api.example.com, separated by spaces; * is any host')}
        words={capabilities.net}
        onWords={(net) => set({ net: net.map((host) => host.toLowerCase()) })}
      />
      <Words
        label={t('Secrets')}
        hint={t('names such as API_KEY, separated by spaces')}
        words={capabilities.secrets}
        onWords={(secrets) => set({ secrets: secrets.map((name) => name.toUpperCase()) })}
      />
      {capabilities.secrets.map((secret) => (
        <SecretRow key={secret} tool={tool} secret={secret} />
      ))}
      {BOXES.map(([key, name, does]) => (
        <label key={key} className="flex min-h-6 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 flex-none"
            checked={capabilities[key]}
            onChange={({ target }) => set({ [key]: target.checked })}
          />
          <span>
            {say(name)} <span className="text-ink-3">{say(does)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

interface WordsProps {
  readonly label: string
  readonly hint: string
  readonly words: readonly string[]
  readonly onWords: (words: readonly string[]) => void
}

function Words({ label, hint, words, onWords }: WordsProps) {
  return (
    <label className="grid gap-1 text-xs text-ink-3">
      {label}
      <input
        className="field font-mono text-code"
        placeholder={hint}
        defaultValue={words.join(' ')}
        onChange={({ target }) => onWords(target.value.split(/[\s,]+/).filter(Boolean))}
      />
    </label>
  )
}
