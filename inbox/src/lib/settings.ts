/** This person's preferences on this machine. Stored in the browser, never sent. */

import { useSyncExternalStore } from 'react'
import { speak } from './language/language.ts'

export interface Settings {
  readonly theme: 'system' | 'light' | 'dark'
  /** Whether J, K, A, D and the others do something. */
  readonly letters: boolean
  /** Whether the browser notifies about calls that arrive while the page is hidden. */
  readonly notify: boolean
  /** The time zone that times are shown in, such as `Europe/Berlin`. Empty: that of the machine. */
  readonly zone: string
  /** The language of the pages, such as `de`. Empty: the first of the browser's that the page has. */
  readonly language: string
}

const NAME = 'countersign.settings'
const DEFAULTS: Settings = {
  theme: 'system',
  letters: true,
  notify: false,
  zone: '',
  language: '',
}
const listeners = new Set<() => void>()
let current = read()

function read(): Settings {
  try {
    const stored = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Settings>
    const { theme, letters, notify, zone, language } = { ...DEFAULTS, ...stored }
    return {
      theme: theme === 'light' || theme === 'dark' ? theme : 'system',
      letters: letters !== false,
      notify: notify === true,
      zone: typeof zone === 'string' ? zone : '',
      language: typeof language === 'string' ? language : '',
    }
  } catch {
    return DEFAULTS
  }
}

export function applyTheme(): void {
  const { dataset } = document.documentElement
  if (current.theme === 'system') delete dataset.theme
  else dataset.theme = current.theme
}

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(NAME, JSON.stringify(current))
  } catch {
    // A browser without storage forgets; the choice holds until the page is closed.
  }
  applyTheme()
  if ('language' in change) void speak(current.language)
  for (const listener of listeners) listener()
}

export const settings = (): Settings => current

export function useSettings(): Settings {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, settings)
}
