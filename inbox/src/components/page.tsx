import { type ReactNode, useEffect } from 'react'
import { ErrorMessage } from './error-message.tsx'

interface PageProps {
  readonly title: string
  readonly says: ReactNode
  /** Beside the title. */
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A page beside the inbox: its title, what it is about, and what it holds. */
export function Page({ title, says, aside, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Countersign`
  }, [title])
  return (
    <main className="relative overflow-auto bg-canvas">
      <div className="mx-auto grid max-w-[1240px] grid-cols-[minmax(0,1fr)] content-start gap-3.5 px-8 pt-5 pb-10 max-desk:px-3 max-desk:pt-3.5">
        <header className={HEAD}>
          <div className={WORDS}>
            <h1 className="text-xl tracking-tight">{title}</h1>
            <p className="text-ink-2">{says}</p>
          </div>
          {aside}
        </header>
        {children}
      </div>
    </main>
  )
}

const HEAD = 'flex flex-wrap items-end gap-x-4 gap-y-2'
/** Takes the room there is; on a phone what stands beside it goes below, to the left. */
const WORDS = 'min-w-0 flex-1 basis-60'

/** A part of a page, with what can be done about it. */
export function PartHead({ title, says, aside }: Omit<PageProps, 'children'>) {
  return (
    <header className={`${HEAD} pt-3`}>
      <div className={WORDS}>
        <h2 className="text-lg tracking-tight">{title}</h2>
        <p className="text-ink-2">{says}</p>
      </div>
      {aside}
    </header>
  )
}

interface LoadedProps<T> {
  readonly data: T | undefined
  readonly error: unknown
  readonly children: (data: T) => ReactNode
}

/** What is known, even when the server is away; otherwise why nothing is. */
export function Loaded<T>({ data, error, children }: LoadedProps<T>) {
  if (data !== undefined) return children(data)
  if (error) return <ErrorMessage error={error} />
  return (
    <div className="frame grid gap-5 p-5" aria-busy="true">
      {[60, 75, 50, 66].map((width) => (
        <span key={width} className="waiting" style={{ width: `${width}%` }} />
      ))}
    </div>
  )
}

/** Names a cell of a table where a phone has no room for the table's head. */
export function Label({ children }: { children: string }) {
  return <span className="hidden pr-1.5 text-xs text-ink-3 max-desk:inline">{children}</span>
}
