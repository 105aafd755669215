import { DomainError, describeValue } from './errors.ts';
import { scalar, type Rule } from './shape.ts';

type Guard = (value: unknown) => value is string;

interface Grammar {
  readonly is: Guard;
  readonly assert: (value: unknown, name?: string) => asserts value is string;
  readonly rule: Rule<string>;
}

function grammar(kind: string, pattern: RegExp): Grammar {
  const expected = `a ${kind} (${pattern.source})`;
  const is: Guard = (value): value is string => typeof value === 'string' && pattern.test(value);
  return {
    is,
    assert(value, name = kind) {
      if (!is(value)) {
        throw new DomainError('QL3_IDENTIFIER_INVALID', name, [{ path: '', expected, got: describeValue(value) }]);
      }
    },
    rule: scalar(expected, is),
  };
}

// `$` without the m flag matches at the very end only: JavaScript has no trailing-newline exception.
const uuidV4: Grammar = grammar('UUID v4', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
const uuidV7: Grammar = grammar('UUID v7', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u);
const name64: Grammar = grammar('credential id', /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/u);
const name128: Grammar = grammar('name', /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/u);
const action: Grammar = grammar('action ref', /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$/u);
const cluster: Grammar = grammar('cluster identity', /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/u);
const hexDigest: Grammar = grammar('SHA-256 digest', /^[0-9a-f]{64}$/u);
const reason: Grammar = grammar('reason code', /^[a-z][a-z0-9_]{0,63}$/u);

/** Delivery, mutation and audit event ids: lower-case UUID v4. */
export const isUuidV4: Guard = uuidV4.is;
export const assertUuidV4: Grammar['assert'] = uuidV4.assert;
export const uuidV4Rule: Rule<string> = uuidV4.rule;

/** Session ids: lower-case UUID v7. */
export const isSessionId: Guard = uuidV7.is;
export const assertSessionId: Grammar['assert'] = uuidV7.assert;
export const sessionIdRule: Rule<string> = uuidV7.rule;

export const isCredentialId: Guard = name64.is;
export const assertCredentialId: Grammar['assert'] = name64.assert;
export const credentialIdRule: Rule<string> = name64.rule;

/** Worker ids, deployment generations, subjects and projects share one alphabet, up to 128 characters. */
export const isWorkerId: Guard = name128.is;
export const assertWorkerId: Grammar['assert'] = name128.assert;
export const workerIdRule: Rule<string> = name128.rule;

export const isDeploymentGeneration: Guard = name128.is;
export const assertDeploymentGeneration: Grammar['assert'] = name128.assert;
export const deploymentGenerationRule: Rule<string> = name128.rule;

export const isSubjectId: Guard = name128.is;
export const assertSubjectId: Grammar['assert'] = name128.assert;
export const subjectIdRule: Rule<string> = name128.rule;

export const isProjectId: Guard = name128.is;
export const assertProjectId: Grammar['assert'] = name128.assert;
export const projectIdRule: Rule<string> = name128.rule;

/** Request, decision, consumption and dispatch ids. */
export const isRequestId: Guard = name128.is;
export const assertRequestId: Grammar['assert'] = name128.assert;
export const requestIdRule: Rule<string> = name128.rule;

export const isActionRef: Guard = action.is;
export const assertActionRef: Grammar['assert'] = action.assert;
export const actionRefRule: Rule<string> = action.rule;

export const isClusterIdentity: Guard = cluster.is;
export const assertClusterIdentity: Grammar['assert'] = cluster.assert;

/** 64 lower-case hex characters. */
export const isDigest: Guard = hexDigest.is;
export const assertDigest: Grammar['assert'] = hexDigest.assert;
export const digestRule: Rule<string> = hexDigest.rule;

export const isReasonCode: Guard = reason.is;
export const assertReasonCode: Grammar['assert'] = reason.assert;
export const reasonCodeRule: Rule<string> = reason.rule;
