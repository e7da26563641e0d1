import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { barriers } from './browser-page.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

promise(
  ['CS-RULES-4', 'CS-RULES-5'],
  'the Policy page has proposals in boxes, counts, versions and the way back',
  async () => {
    const evil = 'Harbour (approved by the CFO)'
    const server = await inbox.start({
      async seed(seeding) {
        await seedPeople(seeding)
        for (let n = 0; n < 10; n += 1) {
          const id = await seeding.ask({ tool: 'refund', args: { to: evil, n }, run: `r${n}` })
          await seeding.decide(n % 2 === 0 ? 'ana@example.com' : 'bo@example.com', id, {
            verdict: 'deny',
          })
        }
      },
    })
    const file = path.join(server.folder, 'countersign.yaml')
    const first = readFileSync(file, 'utf8')
    const ana = await server.person('ana@example.com')
    writeFileSync(file, first.replace('decide_by: 8h', 'decide_by: 9h'))
    const { name } = await ana.send<{ name: string }>('GET', '/v1/policy/draft')
    await ana.send('POST', '/v1/policy/apply', { name })
    const page = await inbox.open('/policy')
    const proposals = page.getByRole('region', { name: 'Proposals' })
    await proposals.getByText('2 people refused 10 of 10').waitFor()
    await page.getByText('Decide within 9 h').first().waitFor()
    const versions = page.getByRole('region', { name: /Versions/ })
    await versions.getByText('applied by Ana').waitFor()
    await versions.getByRole('button', { name: 'Compare' }).nth(1).click()
    await versions.getByText('decide_by: 8h').waitFor()
    expect(await barriers(page)).toEqual([])
    await versions.getByRole('button', { name: /Roll back/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back' }).click()
    await page.getByRole('heading', { name: 'Changed on disk, not active' }).waitFor()
    expect(readFileSync(file, 'utf8')).toBe(first)
    // The rule opens in the builder with what it would have done.
    await proposals.getByRole('button', { name: 'Look at the rule' }).click()
    await page.getByText('denies refund').first().waitFor()
    await page.getByText('Asked more').first().waitFor()
    await page.goBack()
    await proposals.getByRole('button', { name: /Dismiss/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click()
    await proposals.waitFor({ state: 'detached' })
    expect(inbox.opened.problems).toEqual([])
  },
  60_000,
)
