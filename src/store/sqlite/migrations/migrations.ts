import { approvals } from './0001-approvals.ts'
import { vault } from './0002-vault.ts'
import { records } from './0003-records.ts'
import { grants } from './0004-grants.ts'
import { outbox } from './0005-outbox.ts'
import { observed } from './0006-observed.ts'
import { erasableGrants } from './0007-erasable-grants.ts'
import { counted } from './0008-counted.ts'
import { written } from './0009-written.ts'
import { policyEvents } from './0010-policy-events.ts'
import { flatLists } from './0011-flat-lists.ts'
import { asking } from './0012-asking.ts'
import { cheaperWrites } from './0013-cheaper-writes.ts'
import { search } from './0014-search.ts'
import { statistics } from './0015-statistics.ts'
import { lighterWrites } from './0016-lighter-writes.ts'
import { channelKinds } from './0017-channel-kinds.ts'
import type { Migration } from './migration.ts'

/** Written into the file's header, so that another program's database is not mistaken for ours. */
export const APPLICATION_ID = 0x43736e31

/** In order: the first is number 1. A database holds the number of the last one that ran in it. */
export const MIGRATIONS: readonly Migration[] = [
  approvals,
  vault,
  records,
  grants,
  outbox,
  observed,
  erasableGrants,
  counted,
  written,
  policyEvents,
  flatLists,
  asking,
  cheaperWrites,
  search,
  statistics,
  lighterWrites,
  channelKinds,
]
