/*
 * Simulates a failing disk. Preloaded into the program under test, it intercepts every system call that changes a
 * file below one folder. It can make them fail, and it can journal them; disk.ts rebuilds from the journal the states
 * that a power cut may leave.
 *
 *   cc -O2 -shared -fPIC -o build/disk.so torture/disk/disk.c           (torture/disk/layer.ts does it on demand)
 *   LD_PRELOAD=build/disk.so DISK_FOLDER=/tmp/x DISK_FAULTS=/tmp/faults build/animal-store serve
 *
 *   DISK_FOLDER   the watched folder, which must exist
 *   DISK_FAULTS   the file that lists the faults, read again at each call, so it can change at any time; a line is
 *                   <call> <end of the path, or *> <errno> [how often, or *] [after how many]
 *                 Calls: write, sync, truncate, open (only what creates or empties), rename, unlink, link, mkdir.
 *                 Errors: EIO, ENOSPC, EDQUOT, EROFS, EACCES, EMFILE, or a number. The default is once, at once:
 *                   sync animal-store.db-wal EIO         the next fsync or fdatasync of the log fails
 *                   sync animal-store.db EIO *           every one of the database file fails
 *                   write animal-store.db ENOSPC 3 10    ten writes succeed, the next three fail
 *                 Each process counts separately, and starts over when the file has changed.
 *   DISK_JOURNAL  the file that the journal is appended to, outside the folder
 *
 * Bun makes most system calls itself instead of calling libc, so replacing libc's functions is not enough: a
 * seccomp filter has the kernel raise SIGSYS for each call, and the handler carries it out. Linux only, x86-64 and
 * arm64. The filter survives exec, so a program started by this one must be preloaded too, as a shell around it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/falloc.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- system calls that the filter lets through: those made at this one address -------------------------------- */

/* The address is the same in every process, because exec inherits filters, and all of them must let us through. */
#define GATE ((char *)0x2000000000)

extern const char disk_restore[], disk_gate[], disk_gate_return[], disk_gate_end[];

#if defined(__x86_64__)
#define ARCH AUDIT_ARCH_X86_64
__asm__(".text\n.globl disk_gate\n.hidden disk_gate\ndisk_gate:\n"
        "mov %rdi,%rax\nmov %rsi,%rdi\nmov %rdx,%rsi\nmov %rcx,%rdx\nmov %r8,%r10\nmov %r9,%r8\nmov 8(%rsp),%r9\n"
        "syscall\n.globl disk_gate_return\n.hidden disk_gate_return\ndisk_gate_return:\nret\n"
        ".globl disk_gate_end\n.hidden disk_gate_end\ndisk_gate_end:\n"
        ".globl disk_restore\n.hidden disk_restore\ndisk_restore:\nmov $15,%eax\nsyscall\n");
#define RESTORER 0x04000000
static const int argument_registers[] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};
#define ARGUMENT(context, i) ((context)->uc_mcontext.gregs[argument_registers[i]])
#define RESULT(context) ((context)->uc_mcontext.gregs[REG_RAX])
#elif defined(__aarch64__)
#define ARCH AUDIT_ARCH_AARCH64
__asm__(".text\n.globl disk_gate\n.hidden disk_gate\ndisk_gate:\n"
        "mov x8,x0\nmov x0,x1\nmov x1,x2\nmov x2,x3\nmov x3,x4\nmov x4,x5\nmov x5,x6\n"
        "svc #0\n.globl disk_gate_return\n.hidden disk_gate_return\ndisk_gate_return:\nret\n"
        ".globl disk_gate_end\n.hidden disk_gate_end\ndisk_gate_end:\n"
        ".globl disk_restore\n.hidden disk_restore\ndisk_restore:\nmov x8,#139\nsvc #0\n");
#define RESTORER 0
#define ARGUMENT(context, i) ((context)->uc_mcontext.regs[i])
#define RESULT(context) ((context)->uc_mcontext.regs[0])
#else
#error "only x86-64 and arm64"
#endif

typedef long call_function(long number, long a, long b, long c, long d, long e, long f);
#define disk_call ((call_function *)GATE)
#define CALL(number, a, b, c, d) disk_call(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

/* ---- settings --------------------------------------------------------------------------------------------------- */

static char folder[PATH_MAX];
static size_t folder_length;
static char faults_path[PATH_MAX];
static int journal = -1;

/* ---- the journal: records as journal.ts reads them ------------------------------------------------------------- */

enum operation { OPEN = 1, WRITE, TRUNCATE, SYNC, RENAME, UNLINK, LINK, MKDIR, RMDIR, EXTEND, UNKNOWN };

struct record {
  uint32_t magic;
  uint16_t operation;
  uint16_t path_length;
  uint16_t path2_length;
  uint16_t is_folder;
  int32_t error; /* of a sync that failed; what failed otherwise has changed nothing and is not recorded */
  uint64_t inode;
  uint64_t offset; /* of a write; the size after a truncation or extension */
  uint32_t data_length;
  uint32_t process;
};

static volatile int lock_in_process;

/* Held around the call and its record, so that the journal has the order of the calls of all threads and processes. */
static void lock(void) {
  if (journal < 0) return;
  while (__sync_lock_test_and_set(&lock_in_process, 1)) CALL(SYS_sched_yield, 0, 0, 0, 0);
  while (CALL(SYS_flock, journal, LOCK_EX, 0, 0) == -EINTR) {}
}

static void unlock(void) {
  if (journal < 0) return;
  CALL(SYS_flock, journal, LOCK_UN, 0, 0);
  __sync_lock_release(&lock_in_process);
}

static void record(struct record r, const char *path, const char *path2, const void *data) {
  if (journal < 0) return;
  r.magic = 0x6b736964;
  r.path_length = path ? strlen(path) : 0;
  r.path2_length = path2 ? strlen(path2) : 0;
  r.process = CALL(SYS_getpid, 0, 0, 0, 0);
  struct iovec parts[] = {
      {&r, sizeof r}, {(void *)path, r.path_length}, {(void *)path2, r.path2_length}, {(void *)data, r.data_length}};
  CALL(SYS_writev, journal, parts, 4, 0);
}

/* ---- paths ------------------------------------------------------------------------------------------------------ */

static int is_watched(const char *path) {
  return strncmp(path, folder, folder_length) == 0 && (path[folder_length] == '/' || path[folder_length] == 0);
}

/* The path of a descriptor, relative to the folder. Returns 0 if it is elsewhere, or not a file. */
static int path_of_descriptor(int fd, char *path) {
  char link[40], target[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  long length = CALL(SYS_readlinkat, AT_FDCWD, link, target, sizeof target - 1);
  if (length <= 0) return 0;
  target[length] = 0;
  if (!is_watched(target)) return 0;
  strcpy(path, target[folder_length] ? target + folder_length + 1 : ".");
  return 1;
}

/* The same for a name that may not exist: its folder is resolved, and the last part appended. */
static int path_of_name(int at, const char *name, char *path) {
  char parent[PATH_MAX];
  size_t length = strlen(name);
  while (length > 1 && name[length - 1] == '/') length--;
  size_t start = length;
  while (start > 0 && name[start - 1] != '/') start--;
  if (length == 0 || length - start > NAME_MAX || start >= sizeof parent) return 0;
  memcpy(parent, name, start);
  parent[start] = 0;
  int fd = CALL(SYS_openat, at, start ? parent : ".", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  int found = path_of_descriptor(fd, path);
  CALL(SYS_close, fd, 0, 0, 0);
  if (!found) return 0;
  size_t used = strcmp(path, ".") == 0 ? 0 : strlen(path);
  if (used + 1 + length - start >= PATH_MAX) return 0;
  if (used) path[used++] = '/';
  memcpy(path + used, name + start, length - start);
  path[used + length - start] = 0;
  return 1;
}

static uint64_t inode_of(int at, const char *name, int flags, int *is_folder) {
  struct stat status;
  if (CALL(SYS_newfstatat, at, name, &status, flags) != 0) return 0;
  if (is_folder) *is_folder = S_ISDIR(status.st_mode);
  return status.st_ino;
}

/* ---- faults ----------------------------------------------------------------------------------------------------- */

#define MAX_RULES 32
static struct { long matched; } uses[MAX_RULES];
static uint64_t faults_stamp;

static long error_number(const char *name) {
  static const struct { const char *name; int number; } known[] = {
      {"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EDQUOT", EDQUOT}, {"EROFS", EROFS}, {"EACCES", EACCES}, {"EMFILE", EMFILE}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(name, known[i].name) == 0) return known[i].number;
  return atol(name);
}

static int ends_with(const char *path, const char *end) {
  size_t length = strlen(path), wanted = strlen(end);
  return strcmp(end, "*") == 0 || (length >= wanted && strcmp(path + length - wanted, end) == 0);
}

/* The error that a call is to fail with, or 0. */
static long fault(const char *call, const char *path) {
  static volatile int reading;
  char text[4096], *line, *rest;
  struct stat status;
  long error = 0;
  if (!faults_path[0]) return 0;
  int fd = CALL(SYS_openat, AT_FDCWD, faults_path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return 0;
  long length = CALL(SYS_read, fd, text, sizeof text - 1, 0);
  CALL(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH);
  CALL(SYS_close, fd, 0, 0, 0);
  if (length <= 0) return 0;
  text[length] = 0;
  while (__sync_lock_test_and_set(&reading, 1)) CALL(SYS_sched_yield, 0, 0, 0, 0);
  uint64_t stamp = status.st_ino ^ (uint64_t)status.st_mtim.tv_sec << 30 ^ (uint64_t)status.st_mtim.tv_nsec ^ length;
  if (stamp != faults_stamp) memset(uses, 0, sizeof uses);
  faults_stamp = stamp;
  int rule = 0;
  for (line = strtok_r(text, "\n", &rest); line && rule < MAX_RULES && !error; line = strtok_r(NULL, "\n", &rest), rule++) {
    char *word[5] = {0}, *more = line;
    for (int i = 0; i < 5; i++) word[i] = strtok_r(i ? NULL : line, " \t", &more);
    if (!word[2] || strcmp(word[0], call) != 0 || !ends_with(path, word[1])) continue;
    long count = !word[3] ? 1 : strcmp(word[3], "*") == 0 ? LONG_MAX : atol(word[3]);
    long skip = word[4] ? atol(word[4]) : 0;
    long before = uses[rule].matched++;
    if (before >= skip && before - skip < count) error = error_number(word[2]);
  }
  __sync_lock_release(&reading);
  return error;
}

/* ---- the calls -------------------------------------------------------------------------------------------------- */

struct arguments { long number, a[6]; };

static long pass(const struct arguments *call) {
  return disk_call(call->number, call->a[0], call->a[1], call->a[2], call->a[3], call->a[4], call->a[5]);
}

static long on_open(const struct arguments *call, int at, const char *name, int flags) {
  char path[PATH_MAX];
  if (!path_of_name(at, name, path)) return pass(call);
  long error = fault("open", path);
  if (error) return -error;
  lock();
  long fd = pass(call);
  if (fd >= 0 && path_of_descriptor(fd, path)) {
    struct record r = {.operation = OPEN, .inode = inode_of(fd, "", AT_EMPTY_PATH, NULL)};
    record(r, path, NULL, NULL);
    r.operation = TRUNCATE;
    if (flags & O_TRUNC) record(r, path, NULL, NULL);
  }
  unlock();
  return fd;
}

/* A vectored write may end early; each buffer that was written is a record. */
static long on_write(const struct arguments *call, const struct iovec *parts, int count, long given_offset) {
  char path[PATH_MAX];
  int fd = call->a[0];
  if (!path_of_descriptor(fd, path)) return pass(call);
  long error = fault("write", path);
  if (error) return -error;
  lock();
  long offset = given_offset;
  if (journal >= 0 && offset < 0) {
    int appends = CALL(SYS_fcntl, fd, F_GETFL, 0, 0) & O_APPEND;
    long at = CALL(SYS_lseek, fd, 0, SEEK_CUR, 0);
    offset = appends ? CALL(SYS_lseek, fd, 0, SEEK_END, 0) : at;
    if (appends) CALL(SYS_lseek, fd, at, SEEK_SET, 0);
  }
  long written = pass(call);
  uint64_t inode = written > 0 ? inode_of(fd, "", AT_EMPTY_PATH, NULL) : 0;
  for (long i = 0, left = written; i < count && left > 0; i++) {
    long length = left < (long)parts[i].iov_len ? left : (long)parts[i].iov_len;
    struct record r = {.operation = WRITE, .inode = inode, .offset = offset, .data_length = length};
    record(r, path, NULL, parts[i].iov_base);
    offset += length;
    left -= length;
  }
  unlock();
  return written;
}

static long on_sync(const struct arguments *call) {
  char path[PATH_MAX];
  int is_folder = 0;
  if (!path_of_descriptor(call->a[0], path)) return pass(call);
  lock();
  long error = fault("sync", path);
  long result = error ? -error : pass(call);
  struct record r = {.operation = SYNC, .error = -result};
  r.inode = inode_of(call->a[0], "", AT_EMPTY_PATH, &is_folder);
  r.is_folder = is_folder;
  record(r, path, NULL, NULL);
  unlock();
  return result;
}

static long on_resize(const struct arguments *call, enum operation operation, uint64_t size) {
  char path[PATH_MAX];
  if (!path_of_descriptor(call->a[0], path)) return pass(call);
  long error = fault(operation == TRUNCATE ? "truncate" : "write", path);
  if (error) return -error;
  lock();
  long result = pass(call);
  struct record r = {.operation = operation, .offset = size};
  r.inode = inode_of(call->a[0], "", AT_EMPTY_PATH, NULL);
  if (result == 0) record(r, path, NULL, NULL);
  unlock();
  return result;
}

/* Changes of directory entries: one name, or two, either of which may be elsewhere. */
static long on_name(const struct arguments *call, enum operation operation, const char *word, int at, const char *name) {
  char path[PATH_MAX];
  if (!path_of_name(at, name, path)) return pass(call);
  long error = fault(word, path);
  if (error) return -error;
  lock();
  long result = pass(call);
  struct record r = {.operation = operation};
  if (result == 0 && operation == MKDIR) r.inode = inode_of(at, name, AT_SYMLINK_NOFOLLOW, NULL);
  if (result == 0) record(r, path, NULL, NULL);
  unlock();
  return result;
}

static long on_names(const struct arguments *call, enum operation operation, const char *word, int at, const char *name,
                     int at2, const char *name2) {
  char path[PATH_MAX] = "", path2[PATH_MAX] = "";
  int is_from = path_of_name(at, name, path), is_to = path_of_name(at2, name2, path2);
  if (!is_from && !is_to) return pass(call);
  long error = fault(word, is_to ? path2 : path);
  if (error) return -error;
  lock();
  long result = pass(call);
  struct record r = {.operation = is_from && is_to ? operation : UNKNOWN};
  if (result == 0) record(r, path, path2, NULL);
  unlock();
  return result;
}

/* Reports calls that change files in ways that the journal cannot record: the rebuilt state would be wrong. */
static long on_unknown(const struct arguments *call, int fd) {
  char path[PATH_MAX];
  if (!path_of_descriptor(fd, path)) return pass(call);
  lock();
  long result = pass(call);
  struct record r = {.operation = UNKNOWN, .offset = call->number};
  if (result >= 0) record(r, path, NULL, NULL);
  unlock();
  return result;
}

static long on_fallocate(const struct arguments *call) {
  int mode = call->a[1];
  if (mode == 0) return on_resize(call, EXTEND, call->a[2] + call->a[3]);
  return mode == FALLOC_FL_KEEP_SIZE ? pass(call) : on_unknown(call, call->a[0]);
}

static long carry_out(const struct arguments *call) {
  const long *a = call->a;
  const char *name0 = (const char *)a[0], *name1 = (const char *)a[1], *name3 = (const char *)a[3];
  struct iovec whole = {(void *)a[1], a[2]};
  const struct iovec *parts = (const struct iovec *)a[1];
  (void)name0;
  switch (call->number) {
    case SYS_openat: return on_open(call, a[0], name1, a[2]);
    case SYS_write: return on_write(call, &whole, 1, -1);
    case SYS_pwrite64: return on_write(call, &whole, 1, a[3]);
    case SYS_writev: return on_write(call, parts, a[2], -1);
    case SYS_pwritev: return on_write(call, parts, a[2], a[3]);
    case SYS_pwritev2: return on_write(call, parts, a[2], a[3]);
    case SYS_fsync: case SYS_fdatasync: return on_sync(call);
    case SYS_ftruncate: return on_resize(call, TRUNCATE, a[1]);
    case SYS_fallocate: return on_fallocate(call);
    case SYS_renameat2: return on_names(call, a[4] & 2 ? UNKNOWN : RENAME, "rename", a[0], name1, a[2], name3);
    case SYS_renameat: return on_names(call, RENAME, "rename", a[0], name1, a[2], name3);
    case SYS_linkat: return on_names(call, LINK, "link", a[0], name1, a[2], name3);
    case SYS_unlinkat: return on_name(call, a[2] & AT_REMOVEDIR ? RMDIR : UNLINK, "unlink", a[0], name1);
    case SYS_mkdirat: return on_name(call, MKDIR, "mkdir", a[0], name1);
    case SYS_symlinkat: return on_name(call, UNKNOWN, "link", a[1], (const char *)a[2]);
    case SYS_truncate: return on_name(call, UNKNOWN, "truncate", AT_FDCWD, name0);
    case SYS_copy_file_range: return on_unknown(call, a[2]);
    case SYS_splice: return on_unknown(call, a[2]);
    case SYS_sendfile: return on_unknown(call, a[0]);
#ifdef SYS_open
    case SYS_open: return on_open(call, AT_FDCWD, name0, a[1]);
    case SYS_creat: return on_open(call, AT_FDCWD, name0, O_CREAT | O_TRUNC);
    case SYS_rename: return on_names(call, RENAME, "rename", AT_FDCWD, name0, AT_FDCWD, name1);
    case SYS_link: return on_names(call, LINK, "link", AT_FDCWD, name0, AT_FDCWD, name1);
    case SYS_unlink: return on_name(call, UNLINK, "unlink", AT_FDCWD, name0);
    case SYS_rmdir: return on_name(call, RMDIR, "unlink", AT_FDCWD, name0);
    case SYS_mkdir: return on_name(call, MKDIR, "mkdir", AT_FDCWD, name0);
    case SYS_symlink: return on_name(call, UNKNOWN, "link", AT_FDCWD, name1);
#endif
    default: return pass(call);
  }
}

static void on_signal(int signal, siginfo_t *info, void *state) {
  (void)signal;
  ucontext_t *context = state;
  struct arguments call = {.number = info->si_syscall};
  for (int i = 0; i < 6; i++) call.a[i] = ARGUMENT(context, i);
  int saved = errno;
  RESULT(context) = carry_out(&call);
  errno = saved;
}

/* ---- the filter ------------------------------------------------------------------------------------------------- */

/* Opening a file changes something only if it may create or truncate it; the flags are the argument with this index. */
static const struct { int number, flags_argument; } trapped[] = {
    {SYS_openat, 2}, {SYS_write, -1}, {SYS_pwrite64, -1}, {SYS_writev, -1}, {SYS_pwritev, -1}, {SYS_pwritev2, -1},
    {SYS_fsync, -1}, {SYS_fdatasync, -1}, {SYS_ftruncate, -1}, {SYS_fallocate, -1}, {SYS_renameat2, -1},
    {SYS_renameat, -1}, {SYS_linkat, -1}, {SYS_unlinkat, -1}, {SYS_mkdirat, -1}, {SYS_symlinkat, -1},
    {SYS_truncate, -1}, {SYS_copy_file_range, -1}, {SYS_splice, -1}, {SYS_sendfile, -1},
#ifdef SYS_open
    {SYS_open, 1}, {SYS_creat, -1}, {SYS_rename, -1}, {SYS_link, -1}, {SYS_unlink, -1}, {SYS_rmdir, -1},
    {SYS_mkdir, -1}, {SYS_symlink, -1},
#endif
};

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, value)

static int install_filter(void) {
  struct sock_filter code[24 + 6 * sizeof trapped / sizeof *trapped];
  int n = 0;
  uint64_t ours = (uint64_t)GATE + (disk_gate_return - disk_gate);
  code[n++] = (struct sock_filter)LOAD(instruction_pointer);
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)ours, 0, 3);
  code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4);
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(ours >> 32), 0, 1);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter)LOAD(arch);
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_KILL_PROCESS);
  code[n++] = (struct sock_filter)LOAD(nr);
  /* Report these as missing, so that programs fall back to plain calls: a filter cannot read their arguments. */
  const int absent[] = {SYS_openat2, SYS_io_uring_setup};
  for (int i = 0; i < 2; i++) {
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, absent[i], 0, 1);
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO | ENOSYS);
  }
  /* Bun installs its own handler of SIGSYS, which reports the call as missing. Pretend that this succeeded. */
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 4);
  code[n++] = (struct sock_filter)LOAD(args[0]);
  code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SIGSYS, 0, 1);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ERRNO);
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < sizeof trapped / sizeof *trapped; i++) {
    int has_flags = trapped[i].flags_argument >= 0;
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, trapped[i].number, 0, has_flags ? 4 : 1);
    if (has_flags) {
      int at = offsetof(struct seccomp_data, args) + 8 * trapped[i].flags_argument;
      code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at);
      code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 1, 0);
      code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
    }
    code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_TRAP);
  }
  code[n++] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
  struct sock_fprog program = {.len = n, .filter = code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void give_up(const char *what) {
  fprintf(stderr, "disk: %s: %s\n", what, strerror(errno));
  _exit(125);
}

/* The kernel's own struct, because libc's sigaction() would hit the filter of the parent process. */
struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  const char *restorer;
  uint64_t mask;
};

static int open_gate(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  if (mmap(GATE, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) != GATE) return -1;
  memcpy(GATE, disk_gate, disk_gate_end - disk_gate);
  __builtin___clear_cache(GATE, GATE + (disk_gate_end - disk_gate));
  return mprotect(GATE, 4096, PROT_READ | PROT_EXEC);
}

__attribute__((constructor)) static void start(void) {
  const char *watched = getenv("DISK_FOLDER"), *kept = getenv("DISK_JOURNAL"), *faults = getenv("DISK_FAULTS");
  if (!watched) return;
  if (!realpath(watched, folder)) give_up(watched);
  folder_length = strlen(folder);
  if (faults) snprintf(faults_path, sizeof faults_path, "%s", faults);
  if (open_gate() != 0) give_up("cannot map the gate");
  struct kernel_action action = {on_signal, SA_SIGINFO | SA_RESTART | RESTORER, disk_restore, ~0ul};
  if (CALL(SYS_rt_sigaction, SIGSYS, &action, 0, 8) != 0) give_up("cannot handle SIGSYS");
  if (kept) {
    journal = open(kept, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (journal < 0) give_up(kept);
    /* A high number, because some programs expect the lowest free one. */
    int high = fcntl(journal, F_DUPFD_CLOEXEC, 900);
    if (high >= 0) { close(journal); journal = high; }
  }
  if (install_filter() != 0) give_up("cannot install the filter");
}
