import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Put before the C library, it makes every sync take 2 ms longer, as on a busy or a network disk. */
const SOURCE = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

static int slowly(const char *name, int fd) {
  struct timespec two_ms = {0, 2000000};
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  nanosleep(&two_ms, 0);
  return sync(fd);
}

int fsync(int fd) { return slowly("fsync", fd); }
int fdatasync(int fd) { return slowly("fdatasync", fd); }
`;

export function hasCompiler(): boolean {
  return spawnSync('cc', ['--version']).status === 0;
}

/** Answers the library's path, for LD_PRELOAD. */
export function buildSlowSync(folder: string): string {
  const library = join(folder, 'slow-sync.so');
  const source = join(folder, 'slow-sync.c');
  writeFileSync(source, SOURCE);
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  return library;
}
