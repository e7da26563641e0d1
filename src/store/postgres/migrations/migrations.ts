import { approvals } from './0001-approvals.ts'
import { vault } from './0002-vault.ts'
import { records } from './0003-records.ts'
import { grants } from './0004-grants.ts'
import { outbox } from './0005-outbox.ts'
import { observed } from './0006-observed.ts'
import { erasableGrants } from './0007-erasable-grants.ts'
import { counted } from './0008-counted.ts'
import { folders } from './0009-folders.ts'
import { policyEvents } from './0010-policy-events.ts'
import { flatLists } from './0011-flat-lists.ts'
import { batches } from './0012-batches.ts'
import { keyedPlans } from './0013-keyed-plans.ts'
import { search } from './0014-search.ts'
import { knownBatches } from './0015-known-batches.ts'
import { statistics } from './0016-statistics.ts'
import { lighterWrites } from './0017-lighter-writes.ts'
import { channelKinds } from './0018-channel-kinds.ts'
import { restoredFeed } from './0019-restored-feed.ts'
import { packedRows } from './0020-packed-rows.ts'
import type { Migration } from './migration.ts'

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
  folders,
  policyEvents,
  flatLists,
  batches,
  keyedPlans,
  search,
  knownBatches,
  statistics,
  lighterWrites,
  channelKinds,
  restoredFeed,
  packedRows,
]
