import { Menu } from '@base-ui/react/menu'
import { Check, ListFilter } from 'lucide-react'
import { msg, say, t } from '../../lib/language/t.ts'
import { ORDER_WORDS } from './list-model.ts'
import { isFiltered, type ListView } from './list-view.ts'

const FROM_WORDS = [
  [0, msg('Any risk')],
  [2, msg('L2 and up')],
  [3, msg('L3 and up')],
  [4, msg('L4 and up')],
] as const

interface FilterMenuProps {
  readonly view: ListView
  readonly onChange: (change: Partial<ListView>) => void
  readonly onMore: () => void
}

export function FilterMenu({ view, onChange, onMore }: FilterMenuProps) {
  const filtered = isFiltered(view)
  return (
    <Menu.Root>
      <Menu.Trigger
        className={`icon-btn ${filtered ? 'text-accent' : ''}`}
        aria-label={filtered ? t('Filter and sort: changed') : t('Filter and sort')}
      >
        <ListFilter size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={4} className="z-20">
          <Menu.Popup className="menu">
            <Menu.RadioGroup value={view.order} onValueChange={(order) => onChange({ order })}>
              {Object.entries(ORDER_WORDS).map(([order, word]) => (
                <Menu.RadioItem key={order} value={order} className="menu-item" closeOnClick>
                  <Ticked />
                  {say(word)}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="mx-2 my-1 h-px bg-line" />
            <Menu.RadioGroup value={view.from} onValueChange={(from) => onChange({ from })}>
              {FROM_WORDS.map(([from, word]) => (
                <Menu.RadioItem key={from} value={from} className="menu-item" closeOnClick>
                  <Ticked />
                  {say(word)}
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="mx-2 my-1 h-px bg-line" />
            <Menu.Item className="menu-item pl-9" onClick={onMore}>
              {t('More filters and saved views…')}
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Ticked() {
  return (
    <span className="grid size-4 place-items-center">
      <Menu.RadioItemIndicator>
        <Check size={14} aria-hidden="true" />
      </Menu.RadioItemIndicator>
    </span>
  )
}
