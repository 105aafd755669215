import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { PathTranslation } from './path-translation.ts';

const translation = new PathTranslation([
  { containerPath: '/state', hostPath: '/pods/1/volumes/state' },
  { containerPath: '/state/private/', hostPath: '/pods/1/volumes/private' },
  { containerPath: '/app', hostPath: '/images/0/app' },
  { containerPath: '/', hostPath: '/never' },
]);

const cases: [string, string][] = [
  ['/state', '/pods/1/volumes/state'],
  ['/state/journal/rollout.log', '/pods/1/volumes/state/journal/rollout.log'],
  ['/state/private/token', '/pods/1/volumes/private/token'],
  ['/stateful/x', '/stateful/x'],
  ['/var/state/x', '/var/state/x'],
  ['--file=/app/a.json', '--file=/images/0/app/a.json'],
  ['/app/bin:/state/bin', '/images/0/app/bin:/pods/1/volumes/state/bin'],
  ['["/state/a","/app"]', '["/pods/1/volumes/state/a","/images/0/app"]'],
  ['file:///app/main.mjs', 'file:///images/0/app/main.mjs'],
  ['https://control/state/app', 'https://control/state/app'],
  ['https://10.0.0.1:5801/state', 'https://10.0.0.1:5801/state'],
  ['/state-of-things', '/state-of-things'],
  ['/state.old', '/state.old'],
  ['', ''],
];

describe('path translation', () => {
  for (const [text, expected] of cases) {
    it(`turns ${JSON.stringify(text)} into ${JSON.stringify(expected)}`, () => assert.equal(translation.translate(text), expected));
  }
});
