/** One thing that was judged. */
export interface JudgedCase {
  readonly className: string;
  readonly name: string;
  /** What it took, where it is something that took time: a verdict takes none. */
  readonly seconds?: number;
  readonly outcome: { readonly is: 'passed' } | { readonly is: 'failed'; readonly message: string; readonly text: string } | { readonly is: 'skipped'; readonly reason: string };
}

export interface JudgedSuite {
  readonly name: string;
  /** ISO 8601 without a zone, as the format wants it: UTC. */
  readonly timestamp: string;
  readonly seconds: number;
  readonly properties: Readonly<Record<string, string>>;
  readonly cases: readonly JudgedCase[];
}

/** JUnit XML as Jenkins, GitLab, and the actions that show test reports read it: a suite, a testcase for each thing judged. */
export function junitXml(suites: readonly JudgedSuite[]): string {
  const total = (is: JudgedCase['outcome']['is']): number => suites.reduce((sum, { cases }) => sum + count(cases, is), 0);
  const all = suites.reduce((sum, { cases }) => sum + cases.length, 0);
  const head = attributes({ name: 'ql3-evidence', tests: all, failures: total('failed'), errors: 0, skipped: total('skipped'), time: seconds(suites.reduce((sum, suite) => sum + suite.seconds, 0)) });
  return ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites ${head}>`, ...suites.flatMap(suiteLines), '</testsuites>', ''].join('\n');
}

function suiteLines({ name, timestamp, seconds: time, properties, cases }: JudgedSuite): string[] {
  const head = attributes({ name, timestamp, time: seconds(time), tests: cases.length, failures: count(cases, 'failed'), errors: 0, skipped: count(cases, 'skipped') });
  return [
    `  <testsuite ${head}>`,
    '    <properties>',
    ...Object.entries(properties).map(([property, value]) => `      <property ${attributes({ name: property, value })}/>`),
    '    </properties>',
    ...cases.map(caseLine),
    '  </testsuite>',
  ];
}

function caseLine({ className, name, seconds: time = 0, outcome }: JudgedCase): string {
  const head = attributes({ classname: className, name, time: seconds(time) });
  switch (outcome.is) {
    case 'passed':
      return `    <testcase ${head}/>`;
    case 'skipped':
      return `    <testcase ${head}><skipped ${attributes({ message: outcome.reason })}/></testcase>`;
    case 'failed':
      return `    <testcase ${head}><failure ${attributes({ message: outcome.message, type: 'NotObserved' })}>${escaped(outcome.text)}</failure></testcase>`;
  }
}

function count(cases: readonly JudgedCase[], is: JudgedCase['outcome']['is']): number {
  return cases.filter(({ outcome }) => outcome.is === is).length;
}

function seconds(value: number): string {
  return value.toFixed(3);
}

function attributes(given: Readonly<Record<string, string | number>>): string {
  return Object.entries(given).map(([name, value]) => `${name}="${escaped(String(value))}"`).join(' ');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;', '\n': '&#10;', '\r': '&#13;', '\t': '&#9;' };

/** Characters that XML 1.0 cannot carry (section 2.2) become U+FFFD. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    // eslint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"'\n\r\t]/g, (character) => ENTITIES[character] ?? character);
}
