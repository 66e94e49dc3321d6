import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { SilentWorkers } from '../../../../gateway/temporal/silent-workers';

let silent: string[];
let workers: SilentWorkers;
beforeEach(() => {
  jest.useFakeTimers();
  silent = [];
  workers = new SilentWorkers((worker) => silent.push(worker));
});
afterEach(() => {
  workers.close();
  jest.useRealTimers();
});

test('FC-06: a worker that holds a task is silent after two thirds of its lease, and told of once', () => {
  workers.handed('a', 't1', 3000);
  jest.advanceTimersByTime(1990);
  expect(silent).toEqual([]);
  jest.advanceTimersByTime(60_000);
  expect(silent).toEqual(['a']);
});

test('a worker that is heard in time is not, for as long as it is', () => {
  workers.handed('a', 't1', 3000);
  for (let n = 0; n < 20; n++) {
    jest.advanceTimersByTime(1000);
    workers.heard('a');
  }
  expect(silent).toEqual([]);
  jest.advanceTimersByTime(2000);
  expect(silent).toEqual(['a']);
});

test('a worker that holds nothing may be silent', () => {
  workers.handed('a', 't1', 3000);
  workers.handed('a', 't2', 3000);
  workers.answered('t1');
  workers.answered('t2');
  workers.answered('t2');
  workers.heard('b');
  jest.advanceTimersByTime(60_000);
  expect(silent).toEqual([]);
});

test('another task does not make a silent worker a living one', () => {
  workers.handed('a', 't1', 3000);
  jest.advanceTimersByTime(1500);
  workers.handed('a', 't2', 3000);
  jest.advanceTimersByTime(500);
  expect(silent).toEqual(['a']);
});

test('the shortest lease of what is held counts, from when it was handed out', () => {
  workers.handed('a', 'long', 60_000);
  jest.advanceTimersByTime(30_000);
  workers.handed('a', 'short', 3000);
  jest.advanceTimersByTime(1000);
  workers.answered('short');
  jest.advanceTimersByTime(30_000);
  expect(silent).toEqual([]);
  jest.advanceTimersByTime(20_000);
  expect(silent).toEqual(['a']);
});
