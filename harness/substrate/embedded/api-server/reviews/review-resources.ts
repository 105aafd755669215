import { LOCAL_SUBJECT_ACCESS_REVIEW, SELF_SUBJECT_ACCESS_REVIEW, SUBJECT_ACCESS_REVIEW } from './access-reviews.ts';
import { SELF_SUBJECT_REVIEW, TOKEN_REVIEW } from './identity-reviews.ts';
import type { ReviewResource } from './review-resource.ts';
import { SELF_SUBJECT_RULES_REVIEW } from './rules-review.ts';

export const REVIEW_RESOURCES: readonly ReviewResource[] = [
  SELF_SUBJECT_REVIEW,
  TOKEN_REVIEW,
  LOCAL_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_ACCESS_REVIEW,
  SELF_SUBJECT_RULES_REVIEW,
  SUBJECT_ACCESS_REVIEW,
];

export function findReviewResource(group: string, version: string, plural: string): ReviewResource | null {
  return REVIEW_RESOURCES.find((resource) => resource.group === group && resource.version === version && resource.plural === plural) ?? null;
}
