import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from '../../../support/repository';
import { scenes, type Scene } from './scenes';

const DOCUMENT = 'docs/agent-tools.md';
const MARK =
  '<!-- The rest is written by test/unit/sdk/agent-tools/transcripts.test.ts, with UPDATE=1. -->';

beforeEach(() => {
  // Texts of open runs say how long ago something was.
  jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-12-01T09:00:20.000Z'));
});
afterEach(() => {
  jest.restoreAllMocks();
});

async function textFor({ world, name, input, isError = false }: Scene): Promise<string> {
  const result = await world().agent.handle({ id: 'toolu_1', name, input });
  expect(result.isError).toBe(isError);
  return result.text;
}

test('docs/agent-tools.md shows every outcome as it is', async () => {
  const parts = [];
  for (const scene of scenes) {
    const text = await textFor(scene);
    const call = `${scene.name} ${JSON.stringify(scene.input)}`;
    parts.push(`### ${scene.title}\n\n\`${call}\`\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  }
  const rest = `${MARK}\n\n${parts.join('\n')}`;
  const [before = ''] = existsSync(join(root, DOCUMENT)) ? textOf(DOCUMENT).split(MARK) : [''];
  if (process.env['UPDATE'] === '1') writeFileSync(join(root, DOCUMENT), `${before}${rest}`);
  expect(textOf(DOCUMENT)).toBe(`${before}${rest}`);
});

describe('texts', () => {
  const textOfScene = (title: string) => {
    const scene = scenes.find((one) => one.title === title);
    if (!scene) throw new Error(`no scene ${title}`);
    return textFor(scene);
  };

  test('AT-16: a signal, an approval and a host tool are told apart', async () => {
    const text = await textOfScene('Waiting');
    expect(text).toContain(
      [
        '- host tool ask_user (call #2, line 4): deferred, to be answered until 2026-12-04T09:00:00Z',
        '- host tool crm.export (call #3, line 6): running for 18 s, attempt 1',
        '- host tool crm.export (call #4, line 6): no worker has taken it yet, 20 s; none that serves it is there',
        '- approval by a person of mail.send (call #5, line 6) {"to":"ada@example.com","template":"invoice"}',
        '- signal "go" (line 8) until 2026-12-03T09:00:00Z. To send it: signal_run {"run_id":"run_01k4zt6m","name":"go"}',
        '- workflow weekly_report (call #6, line 9): run_01k4zv11',
        '- sleep (line 9) until 2026-12-02T09:00:00Z',
        'Sent, but nothing waits for it: signal "goo" (1)',
      ].join('\n'),
    );
  });

  test('a retry tells how many calls came from the record, and from where it went on live', async () => {
    expect(await textOfScene('retry_run')).toMatch(
      /^Completed: run_01k4zv22, retry of run_01k4zt6m, 3 calls, 2 from its record, live from call #3 \(line 6\), 3 s\n/,
    );
  });
});
