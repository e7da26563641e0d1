import { isPlainObject } from '../../base/json/json.ts'
import { allRecords, type Records } from '../records.ts'

/** An account of a chat that answers for a person, as `<hash of the person>.<hash of the account>`. */
export const LINK_RECORD = 'channel-link'
/** Which link an account of a chat has, by the hash of the account. It grants nothing by itself. */
export const LINKED_ACCOUNT_RECORD = 'channel-account'

/** A link and its entry by account, as names of records. */
export interface LinkNames {
  readonly link: string
  readonly account: string
}

export function linkNames(link: string): LinkNames {
  return { link, account: link.slice(link.indexOf('.') + 1) }
}

/** Both records of a link, as changes that remove them. */
export function withoutLink(link: string) {
  const { account } = linkNames(link)
  return [
    { kind: LINK_RECORD, id: link },
    { kind: LINKED_ACCOUNT_RECORD, id: account },
  ]
}

/** Every link, with the name of its person’s record. */
export async function allLinks(
  records: Records,
): Promise<readonly { readonly id: string; readonly person: string }[]> {
  return (await allRecords(records, LINK_RECORD)).flatMap(({ id, value }) =>
    isPlainObject(value) ? [{ id, person: id.slice(0, id.indexOf('.')) }] : [],
  )
}
