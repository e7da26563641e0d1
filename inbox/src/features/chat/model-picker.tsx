import type { WireChatModel } from '../../../../src/api/chat/conversation.ts'
import { t } from '../../lib/language/t.ts'

interface PickerProps {
  readonly models: readonly WireChatModel[]
  readonly chosen: string | undefined
  readonly onChoose: (id: string) => void
}

export function ModelPicker({ models, chosen, onChoose }: PickerProps) {
  return (
    <label className="flex min-w-0 items-center gap-2 text-xs text-ink-3">
      <span className="max-desk:sr-only">{t('Model')}</span>
      <select
        className="field h-7! max-w-64 truncate text-xs"
        value={chosen}
        onChange={({ target }) => onChoose(target.value)}
      >
        {models.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
