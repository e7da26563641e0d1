import type { Style } from '../print/colour.ts'
import { printable } from '../print/printable.ts'
import type { Shell } from '../shell.ts'
import type { Finding } from './finding.ts'

const LOOKS: Readonly<Record<Finding['level'], readonly [word: string, style: Style]>> = {
  ok: ['ok     ', 'green'],
  note: ['note   ', 'gray'],
  warning: ['warning', 'yellow'],
  problem: ['problem', ['bold', 'red']],
}

export function showFindings(findings: readonly Finding[], { out }: Pick<Shell, 'out'>): void {
  for (const { check, level, says, fix } of findings) {
    const [word, style] = LOOKS[level]
    out.line(`${out.paint(style, word)}  ${check}: ${printable(says)}`)
    if (fix !== undefined) out.line(`         ${printable(fix)}`)
  }
}
