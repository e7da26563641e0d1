import { useMemo } from 'react'
import { commandRemarks } from '../../../../../src/base/deception/command-remarks.ts'
import { tell } from '../../../lib/language/t.ts'
import { Deed } from './deed.tsx'

interface CommandDeedsProps {
  readonly name: string
  readonly command: unknown
}

/** What a command would do. Read in a chunk of its own: most calls hold none. */
export function CommandDeeds({ name, command }: CommandDeedsProps) {
  const deeds = useMemo(() => commandRemarks(name, command, tell), [name, command])
  return deeds.map((deed) => <Deed key={deed} text={deed} />)
}
