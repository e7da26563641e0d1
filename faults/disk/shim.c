/*
 * A disk that can lose power. Preloaded (LD_PRELOAD) into a process, it writes down every change of
 * a file below one folder, and every sync, in a journal outside of that folder. From the journal
 * faults/disk/power-cut.ts builds the disk that a power cut would have left.
 *
 * DISK_ROOT     the folder
 * DISK_JOURNAL  a folder for the journals, one per process
 * DISK_CONTROL  a shared file: counters of all processes, and the failure that is asked for
 *
 * A sync is written down and not carried out: nothing here outlives the machine anyway. Memory that
 * is mapped is not seen; SQLite's -shm file is the only mapped file and is rebuilt by design.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The layout is known to faults/disk/disk.ts. */
struct control {
  uint64_t sequence;
  uint64_t writes;
  uint64_t syncs;
  uint64_t failed;
  uint64_t fail_writes_from; /* 0: never; the count of the first write that fails */
  uint64_t fail_syncs_from;
  uint64_t fail_for;         /* how many fail from there on */
  uint64_t fail_errno;
  uint64_t ignores_syncs;    /* a disk that says that it has synced, and has not */
};

struct record {
  uint32_t magic;
  uint32_t kind;
  uint64_t sequence;
  uint64_t file;   /* inode */
  uint64_t offset; /* or a size */
  uint32_t first;  /* bytes that follow: data, or a path */
  uint32_t second; /* a second path */
};

enum { WRITE = 1, TRUNCATE, SYNC, CREATE, RENAME, UNLINK, MKDIR, SYNCDIR, LINK, RMDIR, SYNCFAIL };
#define MAGIC 0x4b534944u
#define FILES 65536

static struct control *control;
static const char *root;
static size_t root_length;
static const char *journal_folder;
static int journal = -1;
static pid_t journal_of;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* 0: not ours, 1: a file, 2: a folder */
static unsigned char ours[FILES];
static uint64_t inodes[FILES];

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) {
  void *found = dlsym(RTLD_NEXT, name);
  if (!found) abort();
  return found;
}

__attribute__((constructor)) static void start(void) {
  root = getenv("DISK_ROOT");
  journal_folder = getenv("DISK_JOURNAL");
  const char *shared = getenv("DISK_CONTROL");
  if (!root || !journal_folder || !shared) return;
  /* Postgres writes its titles over the environment. */
  root = strdup(root);
  journal_folder = strdup(journal_folder);
  root_length = strlen(root);
  int fd = (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) abort();
  void *mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  syscall(SYS_close, fd);
  control = mapped;
}

static uint64_t next(void) { return __atomic_add_fetch(&control->sequence, 1, __ATOMIC_SEQ_CST); }

/* The whole record with one call, so that a killed process leaves at most one that is cut off. */
static void note(struct record *record, const struct iovec *parts, int count) {
  struct iovec all[IOV_MAX];
  if (count >= IOV_MAX) abort();
  record->magic = MAGIC;
  all[0].iov_base = record;
  all[0].iov_len = sizeof *record;
  size_t total = sizeof *record;
  for (int index = 0; index < count; index++) {
    all[index + 1] = parts[index];
    total += parts[index].iov_len;
  }
  pthread_mutex_lock(&mutex);
  if (journal < 0 || journal_of != getpid()) {
    char path[PATH_MAX];
    journal_of = getpid();
    snprintf(path, sizeof path, "%s/%d", journal_folder, (int)journal_of);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) abort();
    /* Out of the way of programs that close or count low descriptors. */
    journal = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 900);
    if (journal < 0) abort();
    syscall(SYS_close, fd);
  }
  if (syscall(SYS_writev, journal, all, count + 1) != (long)total) abort();
  pthread_mutex_unlock(&mutex);
}

static int is_below(const char *path) {
  return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

/* An absolute path in `out`; 1 when it is below the root. */
static int place(int folder, const char *path, char *out) {
  if (!control) return 0;
  if (path[0] == '/') {
    snprintf(out, PATH_MAX, "%s", path);
  } else {
    char base[PATH_MAX];
    if (folder == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      long length = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
      if (length < 0) return 0;
      base[length] = 0;
    }
    if (snprintf(out, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
  }
  return is_below(out);
}

static void note_paths(int kind, uint64_t file, const char *first, const char *second) {
  struct record record = {.kind = (uint32_t)kind, .file = file, .sequence = next()};
  struct iovec parts[2] = {{(void *)first, strlen(first)}, {(void *)second, second ? strlen(second) : 0}};
  record.first = (uint32_t)parts[0].iov_len;
  record.second = (uint32_t)parts[1].iov_len;
  note(&record, parts, 2);
}

static int is_ours(int fd) { return control && fd >= 0 && fd < FILES && ours[fd]; }

static int fails(uint64_t *counter, uint64_t from) {
  uint64_t nth = __atomic_add_fetch(counter, 1, __ATOMIC_SEQ_CST);
  if (from == 0 || nth < from || nth >= from + control->fail_for) return 0;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)control->fail_errno;
  return 1;
}

/* Files */

static int opened(int fd, const char *path, int flags, int existed) {
  if (fd < 0 || fd >= FILES || !control) return fd;
  ours[fd] = 0;
  char whole[PATH_MAX];
  char link[64];
  struct stat about;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = syscall(SYS_readlinkat, AT_FDCWD, link, whole, sizeof whole - 1);
  if (length < 0) return fd;
  whole[length] = 0;
  (void)path;
  if (!is_below(whole) || fstat(fd, &about) != 0) return fd;
  if (!S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode)) return fd;
  inodes[fd] = about.st_ino;
  ours[fd] = S_ISDIR(about.st_mode) ? 2 : 1;
  if ((flags & O_CREAT) && !existed) note_paths(CREATE, about.st_ino, whole, NULL);
  else if ((flags & O_TRUNC) && (flags & O_ACCMODE) != O_RDONLY) {
    struct record record = {.kind = TRUNCATE, .file = about.st_ino, .sequence = next()};
    note(&record, NULL, 0);
  }
  return fd;
}

static int existed(int folder, const char *path, int flags) {
  return !(flags & O_CREAT) || syscall(SYS_faccessat, folder, path, F_OK, 0) == 0;
}

#define MODE(flags, last) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | O_TMPFILE)) { \
    va_list list; \
    va_start(list, last); \
    mode = (mode_t)va_arg(list, int); \
    va_end(list); \
  }

int open(const char *path, int flags, ...) {
  MODE(flags, flags)
  int before = existed(AT_FDCWD, path, flags);
  return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags, before);
}
int open64(const char *path, int flags, ...) {
  MODE(flags, flags)
  int before = existed(AT_FDCWD, path, flags);
  return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags | O_LARGEFILE, mode), path, flags, before);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE(flags, flags)
  int before = existed(folder, path, flags);
  return opened((int)syscall(SYS_openat, folder, path, flags, mode), path, flags, before);
}
int openat64(int folder, const char *path, int flags, ...) {
  MODE(flags, flags)
  int before = existed(folder, path, flags);
  return opened((int)syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode), path, flags, before);
}
int creat(const char *path, mode_t mode) { return open(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int __open_2(const char *path, int flags) { return open(path, flags); }
int __open64_2(const char *path, int flags) { return open64(path, flags); }

int close(int fd) {
  if (fd >= 0 && fd < FILES) ours[fd] = 0;
  return (int)syscall(SYS_close, fd);
}
static int copied(int from, int to) {
  if (to >= 0 && to < FILES && from >= 0 && from < FILES) {
    ours[to] = ours[from];
    inodes[to] = inodes[from];
  }
  return to;
}
int dup(int fd) { return copied(fd, (int)syscall(SYS_dup, fd)); }
int dup2(int fd, int to) { return copied(fd, REAL(dup2)(fd, to)); }
int dup3(int fd, int to, int flags) { return copied(fd, (int)syscall(SYS_dup3, fd, to, flags)); }

/* Data */

/* Written down first: what another process syncs afterwards must be known by then. */
static int write_down(int fd, const struct iovec *parts, int count, off_t offset) {
  if (fails(&control->writes, control->fail_writes_from)) return -1;
  struct record record = {.kind = WRITE, .file = inodes[fd], .sequence = next(), .offset = (uint64_t)offset};
  for (int index = 0; index < count; index++) record.first += (uint32_t)parts[index].iov_len;
  note(&record, parts, count);
  return 0;
}

static off_t position(int fd) {
  int flags = (int)syscall(SYS_fcntl, fd, F_GETFL);
  struct stat about;
  if ((flags & O_APPEND) && fstat(fd, &about) == 0) return about.st_size;
  return (off_t)syscall(SYS_lseek, fd, 0, SEEK_CUR);
}

/* A write that was written down must happen as it was written down. */
static ssize_t whole(ssize_t written, const struct iovec *parts, int count) {
  ssize_t wanted = 0;
  for (int index = 0; index < count; index++) wanted += (ssize_t)parts[index].iov_len;
  if (written != wanted) abort();
  return written;
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  if (!is_ours(fd)) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
  if (write_down(fd, parts, count, offset) < 0) return -1;
  return whole(syscall(SYS_pwritev, fd, parts, count, offset, 0), parts, count);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) {
  return pwritev(fd, parts, count, offset);
}
ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags) {
  if (is_ours(fd)) return pwritev(fd, parts, count, offset < 0 ? position(fd) : offset);
  return REAL(pwritev2)(fd, parts, count, offset, flags);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  if (!is_ours(fd)) return syscall(SYS_writev, fd, parts, count);
  if (write_down(fd, parts, count, position(fd)) < 0) return -1;
  return whole(syscall(SYS_writev, fd, parts, count), parts, count);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  if (!is_ours(fd)) return syscall(SYS_pwrite64, fd, data, length, offset);
  struct iovec part = {(void *)data, length};
  return pwritev(fd, &part, 1, offset);
}
ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  return pwrite(fd, data, length, offset);
}
ssize_t write(int fd, const void *data, size_t length) {
  if (!is_ours(fd)) return syscall(SYS_write, fd, data, length);
  struct iovec part = {(void *)data, length};
  return writev(fd, &part, 1);
}

static void note_size(int fd, off_t size, int grows) {
  struct record record = {.kind = TRUNCATE, .file = inodes[fd], .sequence = next(), .offset = (uint64_t)size};
  record.second = 0;
  if (grows) {
    struct stat about;
    if (fstat(fd, &about) == 0 && about.st_size >= size) return;
  }
  note(&record, NULL, 0);
}
int ftruncate(int fd, off_t size) {
  if (is_ours(fd)) {
    if (fails(&control->writes, control->fail_writes_from)) return -1;
    note_size(fd, size, 0);
  }
  return (int)syscall(SYS_ftruncate, fd, size);
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int fallocate(int fd, int mode, off_t offset, off_t length) {
  if (is_ours(fd) && mode != 0) {
    errno = EOPNOTSUPP;
    return -1;
  }
  if (is_ours(fd)) note_size(fd, offset + length, 1);
  return (int)syscall(SYS_fallocate, fd, mode, offset, length);
}
int fallocate64(int fd, int mode, off64_t offset, off64_t length) { return fallocate(fd, mode, offset, length); }
int posix_fallocate(int fd, off_t offset, off_t length) {
  return fallocate(fd, 0, offset, length) == 0 ? 0 : errno;
}
int posix_fallocate64(int fd, off64_t offset, off64_t length) { return posix_fallocate(fd, offset, length); }
ssize_t copy_file_range(int from, off64_t *in, int to, off64_t *out, size_t length, unsigned flags) {
  if (is_ours(to)) {
    errno = ENOSYS;
    return -1;
  }
  return syscall(SYS_copy_file_range, from, in, to, out, length, flags);
}

/* Syncs. Counted from when they begin: what is written meanwhile is not part of them. */

static int synced(int fd) {
  if (fails(&control->syncs, control->fail_syncs_from)) {
    int error = errno;
    struct record record = {.kind = SYNCFAIL, .file = inodes[fd], .sequence = next()};
    note(&record, NULL, 0);
    errno = error;
    return -1;
  }
  if (control->ignores_syncs) return 0;
  struct record record = {.kind = ours[fd] == 2 ? SYNCDIR : SYNC, .file = inodes[fd], .sequence = next()};
  char path[PATH_MAX];
  struct iovec part = {path, 0};
  if (ours[fd] == 2) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length > 0) part.iov_len = (size_t)length;
    record.first = (uint32_t)part.iov_len;
  }
  note(&record, &part, 1);
  return 0;
}
int fsync(int fd) { return is_ours(fd) ? synced(fd) : (int)syscall(SYS_fsync, fd); }
int fdatasync(int fd) { return is_ours(fd) ? synced(fd) : (int)syscall(SYS_fdatasync, fd); }

/* Names */

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  char first[PATH_MAX], second[PATH_MAX];
  int mine = place(from_folder, from, first) & place(to_folder, to, second);
  int result = (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 0);
  if (result == 0 && mine) note_paths(RENAME, 0, first, second);
  return result;
}
int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }
int link(const char *from, const char *to) {
  char first[PATH_MAX], second[PATH_MAX];
  int mine = place(AT_FDCWD, from, first) & place(AT_FDCWD, to, second);
  int result = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
  if (result == 0 && mine) note_paths(LINK, 0, first, second);
  return result;
}
static int unlinked(int folder, const char *path, int flags, int kind) {
  char place_of[PATH_MAX];
  int mine = place(folder, path, place_of);
  int result = (int)syscall(SYS_unlinkat, folder, path, flags);
  if (result == 0 && mine) note_paths(kind, 0, place_of, NULL);
  return result;
}
int unlink(const char *path) { return unlinked(AT_FDCWD, path, 0, UNLINK); }
int rmdir(const char *path) { return unlinked(AT_FDCWD, path, AT_REMOVEDIR, RMDIR); }
int unlinkat(int folder, const char *path, int flags) {
  return unlinked(folder, path, flags, flags & AT_REMOVEDIR ? RMDIR : UNLINK);
}
int remove(const char *path) {
  if (unlink(path) == 0) return 0;
  return errno == EISDIR ? rmdir(path) : -1;
}
int mkdirat(int folder, const char *path, mode_t mode) {
  char place_of[PATH_MAX];
  int mine = place(folder, path, place_of);
  int result = (int)syscall(SYS_mkdirat, folder, path, mode);
  if (result == 0 && mine) note_paths(MKDIR, 0, place_of, NULL);
  return result;
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }
