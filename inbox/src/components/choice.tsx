import { visibleText } from '../lib/text/invisible-characters.ts'

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly options: readonly (readonly [value: string, name: string])[]
  /** The choice that narrows nothing. */
  readonly any?: string
  /** How a chosen value reads that is not among the options any more. */
  readonly shown?: string
}

/** One of several values that narrow a list; marked while it does. */
export function Choice({ label, value, onChange, options, any, shown }: ChoiceProps) {
  const isKnown = value === '' || options.some(([known]) => known === value)
  return (
    <select
      className={`field max-w-[220px] max-desk:max-w-none max-desk:flex-1 max-desk:basis-[40%] ${value === '' || value === 'any' ? '' : 'border-accent-line bg-accent-soft'}`}
      aria-label={label}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      {any !== undefined && <option value="">{any}</option>}
      {!isKnown && <option value={value}>{shown ?? visibleText(value)}</option>}
      {options.map(([known, name]) => (
        <option key={known} value={known}>
          {name}
        </option>
      ))}
    </select>
  )
}
