import { GATE_NAMES, UNPROVEN_ON_EMBEDDED } from '../../evidence/gate-names.ts';
import { GATE_MEANINGS } from '../../evidence/gates/meanings.ts';
import type { Meaning } from '../../evidence/meaning.ts';
import type { ProbeId } from '../../evidence/observation.ts';
import { PROBE_MEANINGS } from '../../evidence/probes/meanings.ts';
import { WITNESS_WORDS } from '../../evidence/witness-words.ts';
import { GENERATED_NOTE, table } from './generated-file.ts';

const toFile = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();

export function gatesPage(): string {
  return [
    '# Gates and probes',
    GENERATED_NOTE,
    'A *gate* is one claim of a report, with a rule in `evidence/gates/` for what must have been observed. A *probe* is an attempt that a run makes on purpose, and that must be refused or survived. No gate is written by the program that wants it to be true: it is derived from observations, and the auditor derives it again from a bundle. For each one: what it proves, and what somebody might take from it and must not.',
    'What no gate of any run proves is in the report’s `limitations`. Who could lie, and what catches that, is in [threat-model.md](threat-model.md).',
    '## Witnesses',
    table(['witness', 'in the log', 'why it can be believed'], Object.entries(WITNESS_WORDS).map(([id, { name, standing }]) => [name, `\`${id}\``, standing])),
    '## Gates',
    `On the embedded cluster ${UNPROVEN_ON_EMBEDDED.map((name) => `\`${name}\``).join(', ')} are listed under \`unproven\` and are \`false\`: it cannot prove them. \`passed\` follows from the others.`,
    ...GATE_NAMES.map((name) => entry(name, GATE_MEANINGS[name], `../evidence/gates/${toFile(name)}.ts`)),
    '## Probes',
    'The gates do not count probes; the auditor asks for each of them with the code `PROBES`.',
    ...(Object.entries(PROBE_MEANINGS) as [ProbeId, Meaning][]).map(([id, meaning]) => entry(id, meaning, null)),
    '',
  ].join('\n\n').trimEnd() + '\n';
}

function entry(name: string, { title, proves, doesNotProve }: Meaning, rule: string | null): string {
  return [`### ${name}`, `*${title}*${rule === null ? '' : ` — [rule](${rule})`}`, `**Proves.** ${proves}`, `**Does not prove.** ${doesNotProve}`].join('\n\n');
}
