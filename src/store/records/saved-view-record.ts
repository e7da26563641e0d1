/** All views that one person saved, under the hash of who they are. */
export const SAVED_VIEWS_RECORD = 'saved-views'
