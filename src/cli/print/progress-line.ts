import type { Shell } from '../shell.ts'

const CLEAR_LINE = '\r\x1b[K'

export interface ProgressLine {
  show(text: string): void
  clear(): void
}

/** One line that is written over, for work that takes minutes. Nothing into a file or a pipe. */
export function progressLine({ err }: Pick<Shell, 'err'>): ProgressLine {
  if (!err.terminal) return { show() {}, clear() {} }
  return {
    show: (text) => void err.write(`${CLEAR_LINE}${text}`),
    clear: () => void err.write(CLEAR_LINE),
  }
}

/** `4,650,000 entries verified` */
export function progressWords(many: number, of: string, done: string): string {
  return `${many.toLocaleString('en-US')} ${of} ${done}`
}
