import type { SavedView, SavedViewBody, SavedViewChange } from '../../api/history/saved-views.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Json } from '../../base/json/json.ts'
import { SAVED_VIEWS_RECORD } from '../../store/records/saved-view-record.ts'
import type { Records } from '../../store/records.ts'
import { accountKey } from '../identity/people.ts'

/** Filters that people saved under a name. Nothing here names a person but the caller. */
interface SavedViews {
  of(person: PersonId): Promise<readonly SavedView[]>
  add(person: PersonId, view: SavedViewBody): Promise<SavedView>
  /** Throws `not_found`. */
  change(person: PersonId, id: string, change: SavedViewChange): Promise<SavedView>
  /** False when there was none. */
  remove(person: PersonId, id: string): Promise<boolean>
}

const MOST = 50
/** Two pages of one person may save at the same moment; more than a few do not. */
const TRIES = 5

export function createSavedViews(records: Records): SavedViews {
  async function read(key: string) {
    const found = await records.get(SAVED_VIEWS_RECORD, key)
    return {
      views: (found?.value ?? []) as unknown as readonly SavedView[],
      revision: found?.revision ?? ('absent' as const),
    }
  }

  /** Writes what `next` makes of the list, unless another page wrote meanwhile: then of that list. */
  async function write<T>(
    person: PersonId,
    next: (views: readonly SavedView[]) => { readonly views: readonly SavedView[]; answer: T },
  ): Promise<T> {
    const key = accountKey(person)
    for (let turn = 0; turn < TRIES; turn += 1) {
      const { views, revision } = await read(key)
      const { views: changed, answer } = next(views)
      if (changed === views) return answer
      const value = changed as unknown as Json
      if (await records.put(SAVED_VIEWS_RECORD, key, value, { expect: revision })) return answer
    }
    throw new CountersignError('store_unavailable', 'your views are being changed elsewhere')
  }

  return {
    of: async (person) => (await read(accountKey(person))).views,
    add: (person, { name, page, query }) =>
      write(person, (views) => {
        if (views.length >= MOST) {
          throw new CountersignError('usage', `a person has at most ${MOST} views`, {
            hint: 'Delete one that you no longer use.',
          })
        }
        const answer: SavedView = { id: newId(), name: nameIn(views, page, name), page, query }
        return { views: byName([...views, answer]), answer }
      }),
    change: (person, id, { name, query }) =>
      write(person, (views) => {
        const old = views.find((one) => one.id === id)
        if (!old) throw new CountersignError('not_found', 'you have no such view')
        const others = views.filter((one) => one !== old)
        const answer: SavedView = {
          ...old,
          ...(name === undefined ? {} : { name: nameIn(others, old.page, name) }),
          ...(query === undefined ? {} : { query }),
        }
        return { views: byName([...others, answer]), answer }
      }),
    remove: (person, id) =>
      write(person, (views) => {
        const others = views.filter((one) => one.id !== id)
        const answer = others.length < views.length
        return { views: answer ? others : views, answer }
      }),
  }
}

/** Two views of one page with one name could not be told apart. */
function nameIn(views: readonly SavedView[], page: SavedView['page'], typed: string): string {
  const name = typed.trim()
  if (name === '') throw new CountersignError('invalid_value', 'a view needs a name')
  const isTaken = views.some(
    (one) => one.page === page && one.name.toLowerCase() === name.toLowerCase(),
  )
  if (!isTaken) return name
  throw new CountersignError('invalid_value', 'you have a view of this page with this name', {
    hint: 'Choose another name, or change that view.',
  })
}

function byName(views: readonly SavedView[]): readonly SavedView[] {
  return views.toSorted((one, two) => one.name.localeCompare(two.name, 'en'))
}
