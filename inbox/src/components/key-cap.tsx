import { useSettings } from '../lib/settings.ts'

export function KeyCap({ children }: { children: string }) {
  const { letters } = useSettings()
  if (!letters && children.length === 1) return null
  return (
    <span className="key-cap" aria-hidden="true">
      {children}
    </span>
  )
}
