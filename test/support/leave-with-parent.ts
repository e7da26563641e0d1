// A test process whose parent was killed would stay, with all that its tests started. The handlers
// for `exit` take that down.
process.once('disconnect', () => process.exit(1))
