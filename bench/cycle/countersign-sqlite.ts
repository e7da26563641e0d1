import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { countersign } from './countersign.ts'

export const open = async (folder: string) => countersign(await openSqlite(`${folder}/cycle.db`))
