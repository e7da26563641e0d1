import type { Command } from 'commander'
import { usage } from '../../failure.ts'
import { type ChangedLine, changedLines } from '../../print/changed-lines.ts'
import type { Paint } from '../../print/colour.ts'
import { printable } from '../../print/printable.ts'
import { type Api, withSession } from '../../session.ts'
import type { Run } from '../../shell.ts'
import { type DatabaseOptions, takesDatabase } from '../../state/open-store.ts'
import { namedVersion } from './versions.ts'

/** The file as it is now, in place of a version. */
const DISK = 'disk'
const AROUND = 3

export function addDiff(policy: Command, run: Run): void {
  takesDatabase(policy.command('diff'))
    .description("Compare two versions of the owner's policy file, or one with the file on disk.")
    .argument('<from>', 'a version, by the first characters of its id')
    .argument('[to]', `another version; the file on disk (${DISK}) when left out`)
    .addHelpText('after', '\nExample:\n  $ countersign policy diff 3f9a')
    .action((from: string, to: string | undefined, options: DatabaseOptions) =>
      run((shell) =>
        withSession(options, shell, async (api) => {
          const [before, after] = [
            await ownerText(api, from),
            await ownerText(api, to ?? DISK, from),
          ]
          const lines = changesIn(before, after)
          for (const line of lines) shell.out.line(painted(line, shell.out.paint))
          if (lines.length === 0) shell.out.line('They say the same, to the character.')
          return 0
        }),
      ),
    )
}

async function ownerText(api: Api, name: string, beside?: string): Promise<string> {
  const isDisk = name === DISK
  if (isDisk && beside === undefined) {
    throw usage('the first of the two is a version', 'Name a version, and `disk` after it.')
  }
  const { id: version } = await namedVersion(api, isDisk ? (beside ?? '') : name)
  const found = await api.call('GET /v1/policy/versions/:version', { params: { version } })
  if (isDisk) return found.disk
  return found.files.find(({ role }) => role === 'owner')?.text ?? ''
}

/** Lines that differ, with a few around them. What is alike at both ends is not compared twice. */
export function changesIn(before: string, after: string): ChangedLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1
  let tail = 0
  const most = Math.min(old.length, now.length) - head
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1
  const same = (text: string): ChangedLine => ({ mark: ' ', text })
  const changed = changedLines(
    old.slice(head, old.length - tail),
    now.slice(head, now.length - tail),
  )
  if (changed.length === 0) return []
  return [
    ...old.slice(Math.max(0, head - AROUND), head).map(same),
    ...changed,
    ...old.slice(old.length - tail, old.length - tail + AROUND).map(same),
  ]
}

function painted({ mark, text }: ChangedLine, paint: Paint): string {
  const line = `${mark} ${printable(text)}`
  if (mark === ' ') return line
  return paint(mark === '-' ? 'red' : 'green', line)
}
