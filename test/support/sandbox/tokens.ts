import { issueToken as issue, type TokenRequest as Request } from '../../../src/sandbox/sandbox.ts';
import { BEHAVIOURS, type BehaviourName } from './behaviours.ts';

/** A request for a token like the sandbox's, for a device that answers in this way. */
export interface TokenRequest extends Omit<Request, 'behaviour'> {
  /** Default `accept`. */
  readonly behaviour?: BehaviourName;
}

export function issueToken({ behaviour = 'accept', ...wanted }: TokenRequest): string {
  return issue({ ...wanted, behaviour: BEHAVIOURS.indexOf(behaviour) });
}
