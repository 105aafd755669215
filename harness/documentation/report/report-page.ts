import { describeExpected, EXPECTED_VALUES, type Expected } from '../../../evidence/expected-values.ts';
import { DIRTY_TREE_LIMITATION, EMBEDDED_LIMITATIONS, OTHER_IMAGES_LIMITATION, RELEASE_LIMITATIONS } from '../../../evidence/limitations.ts';
import { PINNED_IMAGES, REHEARSAL_FIXTURE, RELEASE_FIXTURE } from '../../../evidence/pins.ts';
import { SECTION_NAMES, type SectionName } from '../../../evidence/report.ts';
import { AUDITOR_CODES } from '../error-codes/auditor-codes.ts';
import { GENERATED_NOTE, table } from '../generated-file.ts';
import { FIELD_MEANINGS } from './field-meanings.ts';

const HEAD = [
  ['`schemaVersion`', 'always 1'],
  ['`fixture`', `\`${RELEASE_FIXTURE}\`: release evidence. \`${REHEARSAL_FIXTURE}\`: a rehearsal`],
  ['`observedAt`', 'when the last observation was recorded, by the clock of the machine'],
  ['`sourceRevision`', 'the Git commit of the tree that images and harness came from. A release needs a clean tree'],
  ['`gates`', 'each gate by name; see [gates.md](gates.md)'],
  ['`limitations`', 'what the run does not show, in fixed words'],
  ['`unproven`', 'rehearsals only: gates that this platform cannot prove'],
];

export function reportPage(): string {
  const findings = AUDITOR_CODES.find(({ source }) => source.file === 'auditor/findings.ts')?.codes ?? {};
  return [
    '# Reading a report',
    GENERATED_NOTE,
    'A report is one JSON document in canonical form: keys sorted, no spaces, one newline at its end. The same observations give the same bytes. `npx ql3-evidence explain` shows it for people; this page says what stands in it.',
    '## In which order to read',
    '1. **Run the auditor.** A report that was only looked at is not judged: `--profile=release` for a release, with `--bundle=` and `--public-key=` where you have them.\n2. **`fixture`.** A rehearsal is not release evidence, whatever else it says.\n3. **`sourceRevision`.** Is it the commit that you release?\n4. **`gates.passed`**, then the gates that matter to you, each with what it does *not* prove.\n5. **`limitations`.** They are part of the claim.',
    '## The head',
    table(['key', 'what it says'], HEAD),
    '## The sections',
    `The column *must be* is what the contract fixes; the auditor refuses anything else. A release also needs exactly the images \`${pinned('k3s')}\` and \`${pinned('postgres')}\`. What the table leaves open is tied together by the auditor: lists have no entry twice, no Pod stands in two roles, generation *n* belongs to plan *n*.`,
    ...SECTION_NAMES.flatMap(sectionText),
    '## Limitations',
    'Of every run:',
    RELEASE_LIMITATIONS.map((sentence) => `* ${sentence}`).join('\n'),
    'Of a rehearsal on the embedded cluster, besides:',
    EMBEDDED_LIMITATIONS.map((sentence) => `* ${sentence}`).join('\n'),
    'Of a rehearsal on K3s with other images, instead of these:',
    `* ${OTHER_IMAGES_LIMITATION}`,
    'Of a rehearsal from a tree that was not clean, besides:',
    `* ${DIRTY_TREE_LIMITATION}`,
    '## The bundle',
    'The report says what follows; the bundle holds what it follows from: observations, the API server’s own log, objects, container logs, image inputs, sums, and a signature where the run was given a key. [evidence/BUNDLE.md](../evidence/BUNDLE.md) lists its files.',
    table(
      ['what you have', 'what an audit of it shows'],
      [
        ['the report', 'it has the right shape, its parts agree, and it claims what a run must claim. It can be invented'],
        ['report and bundle', 'it follows, byte by byte, from observations that the other witnesses of the bundle do not contradict. Whoever can invent all of them consistently can still lie'],
        ['report, bundle, signature', 'the owner of the key vouches for it. The key must come to you by another way than the bundle'],
      ],
    ),
    'Whoever signs and whoever audits is told the key by its kind and id: `Ed25519, key …`. The id is the SHA-256 of the public key in DER, so that its owner can name it to you, and you can tell whether you have the right file:',
    '```sh\nopenssl pkey -pubin -in $HOME/ql3/signer.pem -outform DER | sha256sum\n```',
    '## The auditor’s answer',
    'One line of JSON on stdout:',
    '```json\n{"schemaVersion":1,"fixture":"…","findings":[{"code":"QL3_WORKER_KUBERNETES_LIVE_GATES","detail":"…"}],"compatible":false}\n```',
    'Exit code 0: compatible, no finding. 1: findings. 2: no verdict, because something cannot be read. `fixture` is what the report says of itself, or `null`.',
    '## The auditor’s findings',
    'Each code is `QL3_WORKER_KUBERNETES_LIVE_` and one of these. `BUNDLE_INTEGRITY`, `DERIVATION` and `PROBES` need observations or a bundle. A report without its exact shape is asked no further question but whether it holds secrets.',
    table(['code', 'meaning', 'what to do'], Object.entries(findings).map(([code, { meaning, cure }]) => [`\`${code}\``, meaning, cure])),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function sectionText(name: SectionName): string[] {
  const { about, fields } = FIELD_MEANINGS[name];
  const expected = EXPECTED_VALUES[name] as Readonly<Record<string, Expected | undefined>>;
  const rows = Object.entries<string>(fields).map(([field, meaning]) => {
    const fixed = expected[field];
    return [`\`${field}\``, meaning, fixed === undefined ? '' : `\`${describeExpected(fixed)}\``];
  });
  return [`### ${name}`, about, table(['field', 'what it says', 'must be'], rows)];
}

function pinned(image: keyof typeof PINNED_IMAGES): string {
  const { name, digest } = PINNED_IMAGES[image];
  return `${name}@${digest}`;
}
