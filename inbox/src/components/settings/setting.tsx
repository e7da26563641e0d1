import { type ReactNode, useId } from 'react'

/** Settings that belong together. */
export function Part(props: { title: string; says: string; children: ReactNode }) {
  return (
    <section className="frame divide-y divide-line" aria-label={props.title}>
      <header className="px-4 py-2.5 max-desk:px-3">
        <h2 className="text-md font-semibold">{props.title}</h2>
        <p className="text-ink-2">{props.says}</p>
      </header>
      {props.children}
    </section>
  )
}

interface About {
  readonly labelledBy: string
  readonly describedBy: string | undefined
}

interface SettingProps {
  readonly name: string
  readonly says?: string
  readonly more?: ReactNode
  readonly children: (about: About) => ReactNode
}

/** What it is called left, and what it is set to right. */
export function Setting({ name, says, more, children }: SettingProps) {
  const id = useId()
  const about = { labelledBy: id, describedBy: says === undefined ? undefined : `${id}-says` }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3 max-desk:px-3">
      <div className="grid min-w-0 flex-1 basis-64 justify-items-start">
        <b id={about.labelledBy} className="wrap-anywhere">
          {name}
        </b>
        {says !== undefined && (
          <span id={about.describedBy} className="text-ink-2">
            {says}
          </span>
        )}
        {more}
      </div>
      {children(about)}
    </div>
  )
}

interface ToggleProps extends About {
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}

export function Toggle({ labelledBy, describedBy, isOn, onChange }: ToggleProps) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={isOn}
      aria-labelledby={labelledBy}
      aria-describedby={describedBy}
      onClick={() => onChange(!isOn)}
    >
      <span className="switch-thumb" />
    </button>
  )
}
