import { Rewind } from '@rewind.codes/sdk';
import { readQuestion } from './inbox';

// The second process: knows nothing of the run, only the token that the worker saved.
const [inbox, answer] = process.argv.slice(2);
if (!inbox || !answer) throw new Error('usage: answer.ts <inbox file> <answer>');

const question = readQuestion(inbox);
if (!question) throw new Error(`no question in ${inbox}`);

void new Rewind().tasks.complete(question.token, { answer }).then(() => {
  console.log(`  answered "${question.question}" of ${question.user} with "${answer}"`);
});
