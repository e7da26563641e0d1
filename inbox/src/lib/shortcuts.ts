import { useEffect, useRef } from 'react'
import { settings } from './settings.ts'

export type KeyMap = { readonly [key: string]: ((event: KeyboardEvent) => void) | undefined }

/** Menus and dialogs have keys of their own, except for a dialog that holds a card to decide. */
const BLOCKING =
  '[role="dialog"]:not([data-decides]), [role="alertdialog"], [role="menu"], [data-keys-off]'

/**
 * Single keys, outside of text fields, menus and dialogs. A key held down counts once, so
 * that a slow finger does not decide a second call.
 */
export function useShortcuts(map: KeyMap): void {
  const latest = useRef(map)
  latest.current = map
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.repeat && !/^[jk]$/i.test(event.key)) return
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (event.key !== 'Escape' && (!settings().letters || isTyping(event.target))) return
      if (document.querySelector(BLOCKING)) return
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
      const act = latest.current[key]
      if (act === undefined) return
      if (key !== 'Escape') event.preventDefault()
      act(event)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button)$/.test(target.type)
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Never away from a field being typed in: the rest of the text would be keys, and keys decide. */
export function focusGently(element: HTMLElement | null): void {
  if (isTyping(document.activeElement)) return
  element?.focus({ preventScroll: true })
}
