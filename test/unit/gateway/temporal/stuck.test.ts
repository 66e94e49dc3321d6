import { expect, test } from '@jest/globals';
import { temporal } from '@temporalio/proto';
import { whyStuck } from '../../../../gateway/temporal/stuck';

const { WorkflowTaskFailedCause: Cause } = temporal.api.enums.v1;

test('FC-19: a run that the script workers cannot replay is ended, but not before a build could be taken back', () => {
  const stuck = whyStuck({
    cause: Cause.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR,
    failure: { message: 'Nondeterminism error: no timer there' },
  });
  expect(stuck).toEqual({
    error: {
      name: 'Error',
      message:
        'the script workers of now cannot go on with this run: Nondeterminism error: no timer there',
    },
    attempts: 20,
  });
});

test('a run of another engine is ended with what it says', () => {
  const message = 'this run needs the engine a; the script workers have b';
  const cause = Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE;
  expect(whyStuck({ cause, failure: { message } })).toEqual({
    error: { name: 'Error', message },
    attempts: 3,
  });
});

test('a run that blocks its thread is ended for it; one with any other trouble is left alone', () => {
  const cause = Cause.WORKFLOW_TASK_FAILED_CAUSE_WORKFLOW_WORKER_UNHANDLED_FAILURE;
  const failure = { message: 'Script execution timed out after 5000ms' };
  expect(whyStuck({ cause, failure })).toMatchObject({
    attempts: 3,
    error: { name: 'LimitError', code: 'limit', limit: 'cpu' },
  });
  expect(whyStuck({ cause, failure: { message: 'the store is away' } })).toBeUndefined();
  expect(whyStuck({ cause })).toBeUndefined();
});
