import { shared } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  if (!shared.rewindTest) return;
  shared.rewindTest.users -= 1;
  if (shared.rewindTest.users > 0) return;
  await shared.rewindTest.server.stop();
  delete shared.rewindTest;
}
