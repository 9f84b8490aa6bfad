/* Loaded in front of the C library: the system call number WHENCE_FAIL_AT of this process, counted
   from 1 over all that are listed below, fails with errno WHENCE_FAIL_ERRNO, without being made.
   With WHENCE_FAIL_EVER, so does every later one that writes. How many calls there were is written
   to the file WHENCE_FAIL_COUNT at the end. scripts/fault_campaign.py uses it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls, fail_at = -1;
static int fail_with, for_ever;

static void begin(void) {
  if (fail_at >= 0) return;
  const char *at = getenv("WHENCE_FAIL_AT"), *with = getenv("WHENCE_FAIL_ERRNO");
  fail_with = with ? atoi(with) : EIO;
  for_ever = getenv("WHENCE_FAIL_EVER") != NULL;
  fail_at = at ? atol(at) : 0;
}

static int fails(int writes) {
  begin();
  const long now = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  if (fail_at == 0 || (now != fail_at && !(for_ever && writes && now > fail_at))) return 0;
  errno = fail_with;
  return 1;
}

/* Tools that are started, to draw pictures, are not meant. */
__attribute__((constructor)) static void alone(void) { unsetenv("LD_PRELOAD"); }

__attribute__((destructor)) static void end(void) {
  const char* path = getenv("WHENCE_FAIL_COUNT");
  FILE* file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%ld\n", calls);
  fclose(file);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, writes, parameters, arguments) \
  type name parameters {                                \
    if (fails(writes)) return (type)-1;                 \
    return REAL(name) arguments;                        \
  }

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (fails(flags & O_CREAT)) return -1;
  return REAL(open)(path, flags, mode);
}

WRAP(ssize_t, read, 0, (int f, void* to, size_t n), (f, to, n))
WRAP(ssize_t, pread, 0, (int f, void* to, size_t n, off_t at), (f, to, n, at))
WRAP(ssize_t, write, 1, (int f, const void* from, size_t n), (f, from, n))
WRAP(ssize_t, pwrite, 1, (int f, const void* from, size_t n, off_t at), (f, from, n, at))
WRAP(int, fsync, 1, (int f), (f))
WRAP(int, ftruncate, 1, (int f, off_t n), (f, n))
WRAP(int, flock, 0, (int f, int how), (f, how))
WRAP(int, fstat, 0, (int f, struct stat* s), (f, s))
WRAP(int, lstat, 0, (const char* p, struct stat* s), (p, s))
WRAP(int, mkdir, 1, (const char* p, mode_t m), (p, m))
WRAP(int, chmod, 1, (const char* p, mode_t m), (p, m))
WRAP(int, rename, 1, (const char* a, const char* b), (a, b))
WRAP(int, renameat2, 1, (int d, const char* a, int e, const char* b, unsigned f), (d, a, e, b, f))
WRAP(int, linkat, 1, (int d, const char* a, int e, const char* b, int f), (d, a, e, b, f))

char* mkdtemp(char* pattern) {
  if (fails(1)) return NULL;
  return REAL(mkdtemp)(pattern);
}

/* A close that fails has closed all the same. */
int close(int f) {
  const int failed = fails(0);
  const int done = REAL(close)(f);
  if (!failed) return done;
  errno = fail_with;
  return -1;
}
