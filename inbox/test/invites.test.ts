import { expect } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

promise(
  ['CS-PEOPLE-7'],
  'an admin makes a link, a new person comes in by it, and it is worth nothing afterwards',
  async () => {
    const page = await inbox.open('/people', { seed: seedPeople })
    await page.getByRole('button', { name: 'Invite a person…' }).click()
    const form = page.getByRole('form', { name: 'Invite a person' })
    await form.getByLabel('Name, as others see it').fill('Gil Moss')
    await form.getByLabel('Address').fill('gil@example.com')
    await form.getByLabel(/^approver/).check()
    await form.getByRole('button', { name: 'Make the link' }).click()
    const link = await page.locator('[data-secret]').innerText()
    const row = page.locator('[data-invite]', { hasText: 'Gil Moss' })
    await row.getByText('Open').waitFor()

    const context = await page.context().browser()?.newContext()
    const guest = await context?.newPage()
    if (!guest) throw new Error('there is no browser')
    await guest.goto(link)
    await guest.getByRole('heading', { name: 'Nothing is waiting' }).waitFor()
    expect(guest.url()).not.toContain('invite')
    await guest.goto(link)
    await guest.getByText('this invitation was used already', { exact: false }).waitFor()
    await guest.goto(`${inbox.server.url}/#invite=${'x'.repeat(43)}`)
    await guest.getByText('there is no such invitation', { exact: false }).waitFor()
    await context?.close()

    await page.reload()
    await row.getByText('Used').waitFor()
    const member = page.locator('[data-person]', { hasText: 'Gil Moss' })
    await member.getByText('another admin gives these roles').waitFor()
    await member.getByText('gil@example.com · not verified').waitFor()
    await member.getByRole('button', { name: 'Roles…' }).click()
    await member.getByLabel(/^approver/).check()
    await member.getByRole('button', { name: 'Save roles' }).click()
    await member.getByText('you invited this person', { exact: false }).waitFor()
    expect(inbox.opened.problems).toEqual([])
  },
)
