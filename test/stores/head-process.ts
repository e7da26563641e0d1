/**
 * Notes heads in one head file as fast as it can, each as another writer, once it is told to. What
 * it noted last for each of them must be in the file afterwards, whatever another process does.
 */
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { headFile } from '../../src/store/audit/head.ts'

const [file = '', name = '', writers = '0'] = process.argv.slice(2)
writeSync(1, 'ready\n')
await once(process.stdin, 'data')
for (let n = 0; n < Number(writers); n += 1) {
  const heads = headFile(file)
  heads.note('db', { writer: `${name}${n}`, seq: 1, hash: 'one' }, n)
  await heads.flush()
  heads.note('db', { writer: `${name}${n}`, seq: 2, hash: 'two' }, n)
  await heads.flush()
}
process.exit()
