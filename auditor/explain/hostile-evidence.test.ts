import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BUNDLE_LAYOUT } from '../../evidence/bundle-layout.ts';
import { readTar } from '../bundle/read-tar.ts';
import { explainSource, type Explained } from './explain.ts';
import { renderPicture } from './files.ts';
import { renderPage } from './page/page.ts';
import { renderText } from './render-text.ts';
import { ofBundle } from './source.ts';
import { recordedTar } from './testing/recorded.ts';

const NOW = new Date('2027-01-01T00:00:00.000Z');
const HONEST = readTar(recordedTar()).files;
const MARKUP = `"'></title></text></style><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>]]><!--&#x3c;a href=javascript:alert(4)>`;
const CONTROL = '\u001b[2J\u001b]0;owned\u0007\u202egnp.exe\u0000\ud800';

/** The recorded bundle with what its words and names are hostile. */
function hostile(text: string): Explained {
  const poison = (value: unknown, key: string): unknown => {
    if (typeof value === 'string' && POISONED.has(key)) return `${value}${text}`;
    if (Array.isArray(value)) return value.map((each) => poison(each, key));
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, poison(each, name)])) : value;
  };
  const path = BUNDLE_LAYOUT.observations.path;
  const log = Buffer.from(HONEST.get(path) ?? []).toString().split('\n').filter((line) => line !== '').map((line) => `${JSON.stringify(poison(JSON.parse(line), ''))}\n`).join('');
  return explainSource(ofBundle({ files: new Map([...HONEST, [path, Buffer.from(log)]]), faults: [] }, NOW), 3);
}
const POISONED = new Set(['attempt', 'outcome', 'image', 'gitVersion', 'kubeletVersion', 'names', 'name', 'user', 'event', 'serverVersion', 'resource', 'type', 'requested_by_id', 'decided_by_id', 'session_id', 'deployment', 'qinglong.io/worker-identity-generation']);

/** Names of elements and attributes, in order of first sight: what a page is made of besides text. */
function vocabulary(markup: string): readonly string[] {
  const tags = markup.match(/<[^>]*>/g) ?? [];
  const attributes = tags.flatMap((tag) => [...tag.matchAll(/\s([^\s=/>"]+)(?:="[^"]*")?/g)].map(([, name]) => `@${name}`));
  return [...new Set([...tags.map((tag) => /^<[!/]?([^\s>/]*)/.exec(tag)?.[1] ?? tag), ...attributes])].sort();
}

describe('evidence that means harm', () => {
  const honest = explainSource(ofBundle({ files: HONEST, faults: [] }, NOW), 3);
  const harmful = hostile(MARKUP);

  it('is drawn at all, and the auditor’s findings are told first', () => {
    assert.ok(harmful.timeline !== null && renderPage(harmful).includes('alert(1)'));
    assert.match(harmful.explanation.headline, /the auditor does not accept it/);
    assert.match(renderPage(harmful), /must not be believed/);
  });
  it('brings no element and no attribute into the page or the picture', () => {
    const known = new Set([...vocabulary(renderPage(honest)), ...vocabulary(renderPicture(honest)), 'strong', 'open', '@open']);
    for (const made of [renderPage(harmful), renderPicture(harmful)]) assert.deepEqual(vocabulary(made).filter((each) => !known.has(each)), []);
    for (const made of [renderPage(harmful), renderPicture(harmful)]) assert.deepEqual((made.match(/<[^>]*>/g) ?? []).filter((tag) => /^<script|^<img|^<!--|\son\w+=|href="(?!#)/.test(tag)), []);
  });
  it('changes nothing of the page’s own policy and style', () => {
    const head = (page: string): string => page.slice(0, page.indexOf('<title>'));
    assert.equal(head(renderPage(harmful)), head(renderPage(honest)));
    assert.match(head(renderPage(honest)), /default-src &#39;none&#39;; style-src &#39;sha256-[A-Za-z0-9+/]{43}=&#39;/);
  });
  it('sends no control character and no turning of text to a terminal, a page or a picture', () => {
    const evil = hostile(CONTROL);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    for (const made of [renderText(evil.explanation), renderText(evil.explanation, { all: true, names: [] }), renderPage(evil), renderPicture(evil)]) assert.doesNotMatch(made, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});
