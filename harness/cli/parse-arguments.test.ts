import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearest } from './nearest.ts';
import { asksForJson, parseArguments } from './parse-arguments.ts';
import { loadAllCommands } from './registry.ts';

const command = {
  name: 'bake',
  options: {
    flour: { value: 'KIND', description: '', choices: ['rye', 'wheat'] },
    recipe: { value: 'PATH', description: '' },
    'dry-run': { description: '' },
  },
  positionals: [{ name: 'BREAD', description: 'what to bake' }, { name: 'SHOP', description: 'where', optional: true }],
} as const;

const refuses = (args: readonly string[], message: RegExp): void => assert.throws(() => parseArguments(command, args), { code: 'QL3_USAGE', exitCode: 2, message });

describe('arguments', () => {
  test('options by name, a switch as true or false, words in order', () => {
    assert.deepEqual(parseArguments(command, ['loaf', '--flour=rye', '--recipe', '/a=b', '--dry-run', 'corner']), {
      options: { flour: 'rye', recipe: '/a=b', 'dry-run': true, json: false, help: false },
      words: ['loaf', 'corner'],
      isHelp: false,
    });
    assert.deepEqual(parseArguments(command, ['--', '--flour']).words, ['--flour']);
    assert.equal(parseArguments(command, ['--recipe=', 'x']).options['recipe'], '');
  });

  test('whoever asks for help need not get the words right', () => {
    for (const help of ['--help', '-h']) assert.equal(parseArguments(command, [help]).isHelp, true);
  });

  test('what it does not know is refused, with what may have been meant', () => {
    refuses(['loaf', '--flor=rye'], /unknown option "--flor"; did you mean --flour\?; see npx ql3-evidence bake --help/);
    refuses(['loaf', '--dryrun'], /did you mean --dry-run\?/);
    refuses(['loaf', '--jsno'], /did you mean --json\?/);
    refuses(['loaf', '-x'], /unknown option "-x"; see/);
    refuses(['loaf', '--constructor'], /unknown option "--constructor"; see/);
    refuses(['loaf', '--flour=whaet'], /rye or wheat, got "whaet"; did you mean wheat\?/);
    const grains = { flour: { value: 'KIND', description: '', choices: [...'abcdefghi'].map((letter) => `${letter}-grain-of-the-north`) } };
    assert.throws(() => parseArguments({ ...command, options: grains }, ['loaf', '--flour=c-grian-of']), { message: '--flour does not know "c-grian-of"; did you mean c-grain-of-the-north?; npx ql3-evidence bake --help lists all 9' });
    assert.throws(() => parseArguments({ ...command, options: grains }, ['loaf', '--flour=foo']), { message: /^--flour does not know "foo"; it knows\n(  [a-i-].{0,78}\n?)+$/ });
    for (const grain of grains.flour.choices) assert.throws(() => parseArguments({ ...command, options: grains }, ['loaf', '--flour=foo']), { message: new RegExp(`\\b${grain}\\b`) });
  });

  test('an option twice, one without its value, a value for a switch, missing and stray words are refused', () => {
    refuses(['loaf', '--recipe=/a', '--recipe=/a'], /--recipe at most once/);
    refuses(['loaf', '--dry-run', '--dry-run'], /--dry-run at most once/);
    refuses(['loaf', '--recipe'], /--recipe=PATH, got no value/);
    refuses(['loaf', '--recipe', '--dry-run'], /--recipe=PATH, got no value/);
    refuses(['loaf', '--dry-run=yes'], /--dry-run without a value, got "yes"/);
    refuses([], /expected BREAD \(what to bake\), got none/);
    refuses(['loaf', 'corner', 'third'], /no more than 2 words, got "third"/);
  });

  test('an option that may be given more than once has all its values, and none is an empty list', () => {
    const toppings = { ...command, options: { topping: { value: 'KIND', description: '', choices: ['salt', 'seeds'], isRepeatable: true } } } as const;
    const of = (...args: readonly string[]): unknown => parseArguments(toppings, ['loaf', ...args]).options['topping'];
    assert.deepEqual([of(), of('--topping=salt'), of('--topping=seeds', '--topping', 'salt')], [[], ['salt'], ['seeds', 'salt']]);
    assert.throws(() => of('--topping=salt', '--topping=sugar'), { code: 'QL3_USAGE' });
  });

  test('JSON is asked for before what ends the options', () => {
    assert.equal(asksForJson(['bake', '--flor', '--json']), true);
    assert.equal(asksForJson(['bake', '--', '--json']), false);
  });
});

test('the nearest is a typing mistake away, or the only beginning; what is nothing like any is none', () => {
  const commands = ['rehearse', 'run', 'audit', 'explain', 'doctor', 'plan', 'clean', 'version', 'completion'];
  for (const [word, meant] of [['reherase', 'rehearse'], ['rehear', 'rehearse'], ['aduit', 'audit'], ['docter', 'doctor'], ['palns', 'plan'], ['rnu', 'run'], ['delete', null], ['', null], ['x', null]] as const) {
    assert.equal(nearest(word, commands), meant, word);
  }
  assert.equal(nearest('tcsh', ['bash', 'zsh', 'fish']), null);
});

test('the usage of every command says that it can answer with JSON', async () => {
  for (const { name, usage } of await loadAllCommands()) assert.match(usage.join('\n'), /\[--json\]/, name);
});
