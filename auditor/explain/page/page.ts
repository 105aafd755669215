import { createHash } from 'node:crypto';
import { WITNESSES } from '../../../evidence/observation.ts';
import { WITNESS_WORDS } from '../../../evidence/witness-words.ts';
import { captionOf, countsOf, stateIn } from '../caption.ts';
import type { Explained } from '../explain.ts';
import type { Explanation } from '../explanation.ts';
import { gateNumber } from '../picture/draw.ts';
import { element, Markup, type Child } from '../picture/markup.ts';
import { findingsByCode } from '../findings-by-code.ts';
import { breakable } from './breakable.ts';
import { failureSection } from './failure-section.ts';
import { pictureInPage } from './picture-in-page.ts';
import { idsOf, runList } from './run-list.ts';
import { pageRules } from './style.ts';
import { overview, verdictTable } from './tables.ts';

const MOST_OF_A_CODE = 10;

/** One HTML file that loads nothing and runs nothing. The same evidence gives the same bytes. */
export function renderPage({ explanation, timeline }: Explained): string {
  const { title, description } = captionOf(explanation);
  const rules = pageRules();
  // a script or another style would have to get past this too
  const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(rules).digest('base64')}'; base-uri 'none'; form-action 'none'`;
  const ids = timeline === null ? new Map<string, string>() : idsOf(timeline);
  const drawn = new Set((timeline?.proofs ?? []).flatMap(({ gates }) => gates.map(gateNumber)));
  const stateOf = stateIn(explanation);
  const sections: readonly (readonly [string, string, Child])[] = [
    ...(explanation.failure === null && explanation.error === null ? [] : [['failure', (explanation.failure?.interruptedBy ?? null) === null ? 'What failed' : 'Where it was interrupted', failureSection(explanation)] as const]),
    ['timeline', 'The run in time', timeline === null ? element('p', { class: 'note' }, explanation.source === 'report' ? 'A report alone holds no times. Explain the bundle that was made with it to see the run.' : 'The run ended before anything was seen that could be drawn.') : pictureInPage(timeline, ids, description, stateOf)],
    ['gates', 'Gates', [element('p', {}, `States are ${explanation.standing}.`), verdictTable(explanation.gates, 'Gates', drawn)]],
    ...(explanation.probes.length === 0 ? [] : [['probes', 'Probes: what had to be refused', verdictTable(explanation.probes, 'Probes', drawn)] as const]),
    ...(timeline === null ? [] : [['run', 'The run as a list', element('details', { open: '' }, element('summary', {}, 'every mark of the picture, in the order of time'), ...runList(timeline, ids))] as const]),
    ['witnesses', 'Witnesses', element('dl', {}, ...WITNESSES.flatMap((witness) => [element('dt', {}, WITNESS_WORDS[witness].name), element('dd', {}, WITNESS_WORDS[witness].standing)]))],
    ...(explanation.limitations.length === 0 ? [] : [['limits', 'What the report itself excludes', element('ul', {}, ...explanation.limitations.map((each) => element('li', {}, each)))] as const]),
  ];
  const page = element('html', { lang: 'en' },
    element('head', {},
      element('meta', { charset: 'utf-8' }),
      element('meta', { 'http-equiv': 'Content-Security-Policy', content: policy }),
      element('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
      element('meta', { name: 'color-scheme', content: 'light dark' }),
      element('meta', { name: 'referrer', content: 'no-referrer' }),
      element('title', {}, title),
      element('style', {}, new Markup(rules))),
    element('body', {},
      element('a', { class: 'skip', href: '#main' }, 'Skip to the evidence'),
      element('header', {}, element('h1', {}, title), about(explanation), findingsOf(explanation), element('p', {}, countsOf(explanation)), overview(explanation.gates),
        element('nav', { 'aria-label': 'Parts of this page' }, element('ul', {}, ...sections.map(([id, name]) => element('li', {}, element('a', { href: `#${id}` }, name)))))),
      element('main', { id: 'main' }, ...sections.map(([id, name, content]) => element('section', { id, 'aria-labelledby': `h-${id}` }, element('h2', { id: `h-${id}` }, name), content))),
      element('footer', {}, element('p', { class: 'quiet' }, 'Made by explain. This page loads nothing and runs no script.'))));
  return `<!DOCTYPE html>\n${page.text}\n`;
}

function about({ fixture, platform, sourceRevision, observedAt, source, failure }: Explanation): Markup {
  const known: readonly (readonly [string, string | null])[] = [['Contract', fixture], ['Platform', platform], ['Source revision', sourceRevision], [source !== 'failure' ? 'Observed at' : (failure?.interruptedBy ?? null) === null ? 'Failed at' : 'Interrupted at', observedAt], ['Explained from', { report: 'a report alone', bundle: 'a bundle', failure: 'what a failed run has left' }[source]]];
  return element('dl', {}, ...known.flatMap(([name, value]) => (value === null ? [] : [element('dt', {}, name), element('dd', {}, value)])));
}

function findingsOf({ findings, source }: Explanation): Markup | null {
  if (findings.length === 0) return source === 'failure' ? null : element('p', { class: 'note' }, source === 'bundle' ? 'The auditor accepts report and bundle. Whether the bundle is signed, and by whom, is for audit with a public key to say.' : 'The auditor accepts what can be asked of a report alone.');
  return element('div', { class: 'note bad' }, element('p', {}, element('strong', {}, `The auditor has ${findings.length} finding${findings.length === 1 ? '' : 's'}: `), 'what follows is told as the evidence has it, and must not be believed.'), element('ul', {}, ...findingsByCode(findings, MOST_OF_A_CODE).map(({ code, count, details }) => element('li', {}, element('code', {}, breakable(code)), `: ${count}`, element('ul', {}, ...details.map((detail) => element('li', {}, breakable(detail.slice(0, 2_000)))), count > details.length ? element('li', {}, `and ${count - details.length} more`) : null)))));
}
