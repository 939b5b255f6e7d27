/**
 * Preloaded into a process (`--import`), as its wall clock alone. The file that CLOCK_FILE names has the milliseconds
 * by which that is off. The clock jumps when another number is written there.
 */
import { readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 20;

const file = process.env.CLOCK_FILE;
const rightNow = Date.now;
let offMs = 0;
let lookedAtMs = Number.NEGATIVE_INFINITY;

Date.now = () => {
  const atMs = performance.now();
  if (file !== undefined && atMs - lookedAtMs >= LOOK_EVERY_MS) {
    lookedAtMs = atMs;
    offMs = Number(readFileSync(file, 'utf8'));
  }
  return rightNow() + offMs;
};
