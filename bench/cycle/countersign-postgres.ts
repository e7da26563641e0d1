import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { countersign } from './countersign.ts'

export const open = async (url: string) => countersign(await openPostgres(url))
