import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeCleaned } from './describe-cleaned.ts';

test('that nothing is left is said of the places that were looked at', () => {
  const nothing = { removed: [], inUse: [], kept: [], notMeant: 0, failures: [], dockerSkipped: null };
  assert.equal(describeCleaned(nothing, true, '/var/tmp/ql3'), 'nothing is left of any run in /var/tmp/ql3 or in Docker');
  assert.equal(describeCleaned({ ...nothing, dockerSkipped: 'no Engine' }, true, '/var/tmp/ql3'), 'nothing is left of any run in /var/tmp/ql3\nDocker was not looked at: no Engine');
});
