import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

promise(
  ['CS-INBOX-39'],
  'the settings page sets theme, time zone and keys, and leads to the others',
  async () => {
    const page = await inbox.open('/settings')
    await page.getByRole('button', { name: 'Dark' }).click()
    await page.locator('html[data-theme="dark"]').waitFor()
    await page.getByLabel('Time zone').selectOption('Pacific/Kiritimati')
    await page.getByRole('switch', { name: 'Single-letter keys' }).click()
    await page.getByRole('button', { name: 'All keys' }).click()
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    await expect.poll(() => page.getByLabel('Time zone').inputValue()).toBe('Pacific/Kiritimati')
    await page.getByRole('switch', { name: 'Single-letter keys', checked: false }).waitFor()

    // Fourteen hours ahead of UTC: no machine that runs this test is.
    await page.goto(`${inbox.server.url}/history/${inbox.server.id('succeeded')}`)
    const time = page.locator('time[datetime]').first()
    await time.waitFor()
    const at = new Date((await time.getAttribute('datetime')) ?? '').getTime()
    const wall = new Date(at + 14 * 3_600_000).toISOString().slice(11, 23)
    expect(await time.innerText()).toBe(wall)

    for (const [name, heading] of [
      ['Phone and notifications', 'Phone and notifications'],
      ['Passkeys', 'Your passkeys'],
      ['Linked accounts', 'Your linked accounts'],
    ]) {
      await page.goto(`${inbox.server.url}/settings`)
      await page.getByRole('main').getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }
    expect(inbox.opened.problems).toEqual([])
  },
)
