import { windowTimeInWords } from '../../contract/maintenance.ts';
import {
  HANDOVER_BY_DEFAULT,
  type OnCallPerson,
  type OnCallShift,
  type ShownOverride,
  type ShownRota,
} from '../../contract/on-call/plan.ts';
import { OperatorProblem } from '../../process/problem.ts';
import { isRefusal, type OnCallStatus, type Refusal, type RotaAnswer, type StoreClient } from '../../store/calls.ts';
import { collect, given, laterTime, positiveInteger } from '../arguments.ts';
import { addList, addShow, type Command, listView, type Noun, thingView } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { count, table } from '../output/table.ts';

const ID = 'ovr_7m3q0f9t2xkd4w6z';
/** Shifts below a rota. */
const SHOWN_SHIFTS = 6;

/** A rota with its next shifts. */
type Rota = ShownRota & { readonly shifts?: readonly OnCallShift[] };

const ROTA: Noun<Rota> = {
  name: 'rota',
  plural: 'rotas',
  columns: {
    SLUG: ({ slug }) => slug,
    'ON CALL': ({ on_call }) => nameOf(on_call),
    UNTIL: ({ until, timezone }) => timeIn(until, timezone),
    NEXT: ({ next }) => nameOf(next),
    HANDOVER: handoverInWords,
    MEMBERS: ({ members }) => members.length,
  },
  fields: (rota) => ({
    slug: rota.slug,
    name: rota.name,
    'on call': nameOf(rota.on_call),
    until: timeIn(rota.until, rota.timezone),
    next: nameOf(rota.next),
    members: rota.members.join(', '),
    handover: handoverInWords(rota),
    'time zone': rota.timezone,
    'starts on': rota.starts_on,
    announces: rota.announce ? 'handovers and moved shifts' : 'nothing',
  }),
  below: ({ shifts = [], timezone }) => shifts.map((shift) => shiftInWords(shift, timezone)).join('\n') || null,
  empty: 'No rotas yet. Add one: pushctl rota add <workspace> <rota> <members…>',
};

const STATUS: Noun<OnCallStatus> = {
  name: 'rota',
  plural: 'rotas',
  columns: {
    WORKSPACE: ({ workspace }) => workspace,
    ROTA: ({ slug }) => slug,
    'ON CALL': ({ on_call }) => nameOf(on_call),
    UNTIL: ({ until, timezone }) => timeIn(until, timezone),
    NEXT: ({ next }) => nameOf(next),
  },
  empty: 'No rotas yet. Add one: pushctl rota add <workspace> <rota> <members…>',
};

const ADD_DETAILS = `
From --starts-on at the time of the handover, the first member is on call. Each
later handover brings the next. Before that, nobody is on call.
`;

const CHANGE_DETAILS = `
Options that you leave out stay as they are. A change never moves who is on call
now, and never changes the past. To change the list, pass --member for all
members, in order. --on-call corrects who is on call now.
`;

const OVERRIDE_DETAILS = `
The override that was made last wins. Ending one that is on takes effect now.
`;

interface Plan {
  readonly name?: string;
  readonly timezone?: string;
  readonly every?: string;
  readonly count?: number;
  readonly weekday?: string;
  readonly at?: string;
  readonly startsOn?: string;
  readonly announce?: boolean;
  readonly preview?: boolean;
}
interface Change extends Plan {
  readonly member?: readonly string[];
  readonly onCall?: string;
}

export function addRota(program: Command, context: CommandContext): void {
  const rota = program
    .command('rota')
    .description('people who take turns on call')
    .examples('pushctl rota add acme payments ada@example.com bob@example.com --timezone Europe/Berlin');

  withPlan(rota.command('add <workspace> <rota> <members...>'))
    .description('add a rota; the members are in the order of their turns')
    .option('--no-announce', 'send no pushes about handovers and moved shifts')
    .details(ADD_DETAILS)
    .examples(
      'pushctl rota add acme payments ada@example.com bob@example.com --timezone Europe/Berlin',
      'pushctl rota add acme web ada@example.com bob@example.com --every day --at 17:00',
      'pushctl rota add acme db ada@example.com bob@example.com --count 2 --weekday fri --starts-on 2027-01-08',
    )
    .action((workspace: string, slug: string, members: readonly string[], plan: Plan) => {
      const { preview } = plan;
      const handover = hasHandover(plan) ? handoverOf(plan, HANDOVER_BY_DEFAULT) : undefined;
      const args = { workspace, slug, members, ...fieldsOf(plan), ...given({ handover, preview }) };
      return show(context, (store) => store.createRota(args));
    });

  addList(rota, context, ROTA, {
    usage: 'list <workspace>',
    description: 'list the rotas of a workspace',
    examples: ['pushctl rota list acme'],
    ask: (workspace) => (store) => store.listRotas({ workspace }),
  });

  addShow(rota, context, ROTA, {
    usage: 'show <workspace> <rota>',
    description: 'show a rota with its next shifts, in its own time zone',
    examples: ['pushctl rota show acme payments'],
    ask: (workspace, slug) => async (store) => withShifts(store, { workspace, slug }),
  });

  withPlan(rota.command('change <workspace> <rota>'))
    .description('change a rota')
    .option('--member <email>', 'member, in order; may be repeated', collect)
    .option('--on-call <email>', 'the member who is on call from now on')
    .option('--announce', 'send pushes about handovers and moved shifts')
    .option('--no-announce', 'send none')
    .details(CHANGE_DETAILS)
    .examples(
      'pushctl rota change acme payments --member ada@example.com --member dan@example.com --preview',
      'pushctl rota change acme payments --on-call bob@example.com',
    )
    .action((workspace: string, slug: string, { member: members, onCall, ...plan }: Change) =>
      show(context, async (store) => {
        const before = await store.showRota({ workspace, slug });
        if (isRefusal(before)) return before;
        const { preview, ...changes } = plan;
        const handover = hasHandover(plan) ? handoverOf(plan, before.handover) : undefined;
        const asked = { ...fieldsOf(changes), ...given({ handover, members, onCall }) };
        if (Object.keys(asked).length === 0) {
          throw new OperatorProblem('nothing to change', 2, { advice: 'pass --member, --at or another option' });
        }
        return store.updateRota({ workspace, slug, ...asked, ...given({ preview }) });
      }),
    );

  rota
    .command('delete <workspace> <rota>')
    .description('delete a rota')
    .option('--preview', 'change nothing, and show what would move')
    .examples('pushctl rota delete acme payments')
    .action((workspace: string, slug: string, { preview = false }: Plan) => {
      const ask = (store: StoreClient) => store.deleteRota({ workspace, slug, preview });
      return preview ? show(context, ask) : context.show('rota', ask, () => `Deleted the rota ${workspace}/${slug}.`);
    });

  addOverrides(rota, context);
}

export function addOnCall(program: Command, context: CommandContext): void {
  program
    .command('on-call [workspace]')
    .description('show who is on call')
    .examples('pushctl on-call', 'pushctl on-call acme')
    .action((workspace: string | undefined) =>
      context.show('rotas', (store) => store.listOnCall(given({ workspace })), listView(STATUS)),
    );
}

interface OverrideOptions {
  readonly from?: string;
  readonly until?: string;
  readonly end?: string;
}

function addOverrides(rota: Command, context: CommandContext): void {
  rota
    .command('override <workspace> <rota> [member]')
    .description('put a member on call for a time, or end an override')
    .option('--from <time>', 'when it begins, or in how long (default: now)', laterTime)
    .option('--until <time>', 'when it ends, or in how long, at most 31d after it begins', laterTime)
    .option('--end <id>', 'end this override instead')
    .details(OVERRIDE_DETAILS)
    .examples(
      'pushctl rota override acme payments bob@example.com --until 8h',
      'pushctl rota override acme payments bob@example.com --from 2027-02-14T12:00:00Z --until 2027-02-15T20:00:00Z',
      `pushctl rota override acme payments --end ${ID}`,
    )
    .action((workspace: string, slug: string, member: string | undefined, { from, until, end }: OverrideOptions) => {
      if ((member === undefined) === (end === undefined)) {
        throw new OperatorProblem('pass a member or --end', 2, { advice: '`pushctl rota show` has the ids' });
      }
      if (member !== undefined && until === undefined) {
        throw new OperatorProblem('pass when it ends', 2, { advice: 'use --until 8h, or --until with a time' });
      }
      const times = given({ fromMs: inMs(from), untilMs: inMs(until) });
      const ask = async (store: StoreClient) => {
        const rota = await store.showRota({ workspace, slug });
        if (isRefusal(rota)) return rota;
        const override =
          member === undefined
            ? await store.endOverride({ workspace, slug, id: end ?? '' })
            : await store.addOverride({ workspace, slug, member, ...times });
        return isRefusal(override) ? override : { ...override, timezone: rota.timezone };
      };
      return context.show('override', ask, (_, made) => overrideInWords(made, end !== undefined));
    });
}

function inMs(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time);
}

function withPlan(command: Command): Command {
  return command
    .option('--name <name>', 'name that people see')
    .option('--timezone <name>', 'time zone of handovers (default when added: UTC)')
    .option('--every <day|week>', 'time between two handovers (default when added: week)')
    .option('--count <number>', 'how many days or weeks (default when added: 1)', positiveInteger)
    .option('--weekday <day>', 'mon to sun, for weeks (default when added: mon)')
    .option('--at <time>', 'time of the day (default when added: 09:00)')
    .option('--starts-on <date>', 'date on which the first member begins (default when added: at once)')
    .option('--preview', 'change nothing, and show what would move');
}

function fieldsOf({ name, timezone, startsOn, announce }: Plan) {
  return given({ name, timezone, startsOn, announce });
}

function hasHandover({ every, count: periods, weekday, at }: Plan): boolean {
  return [every, periods, weekday, at].some((option) => option !== undefined);
}

/** Changes the given parts of a rule. */
function handoverOf(plan: Plan, before: ShownRota['handover']): ShownRota['handover'] {
  const every = (plan.every ?? before.every) as 'day' | 'week';
  const weekday = (plan.weekday ?? (every === 'week' ? before.weekday : undefined)) as ShownRota['handover']['weekday'];
  return { every, at: plan.at ?? before.at, ...given({ count: plan.count ?? before.count, weekday }) };
}

function show(context: CommandContext, ask: (store: StoreClient) => Promise<RotaAnswer | Refusal>): Promise<void> {
  return context.show('rota', ask, (shown, { rota, moved }) => {
    if (moved === undefined) return thingView(ROTA)(shown, rota);
    if (moved.length === 0) return 'Nothing would move.';
    const rows = moved.map(({ from, until, before, after }) => [
      timeIn(from, rota.timezone),
      timeIn(until, rota.timezone),
      nameOf(before),
      nameOf(after),
    ]);
    return table(shown, ['FROM', 'UNTIL', 'BEFORE', 'AFTER'], rows, '');
  });
}

async function withShifts(store: StoreClient, place: { workspace: string; slug: string }): Promise<Rota | Refusal> {
  const rota = await store.showRota(place);
  if (isRefusal(rota)) return rota;
  const shifts = await store.listShifts(place);
  return isRefusal(shifts) ? shifts : { ...rota, shifts: shifts.slice(0, SHOWN_SHIFTS) };
}

function nameOf(person: OnCallPerson | null): string {
  return person?.email ?? 'nobody';
}

function timeIn(time: string | null, timezone: string): string | null {
  return time === null ? null : windowTimeInWords(Date.parse(time), timezone);
}

function handoverInWords({ handover: { every, count: periods = 1, weekday, at } }: ShownRota): string {
  const period = periods === 1 ? every : count(periods, every, `${every}s`);
  return `every ${period}${weekday === undefined ? '' : ` on ${weekday}`} at ${at}`;
}

function shiftInWords({ from, until, person, override }: OnCallShift, timezone: string): string {
  const why = override === null ? '' : `, by override ${override.id} of ${override.by}`;
  return `${timeIn(from, timezone)} to ${timeIn(until, timezone)}: ${person.email}${why}`;
}

function overrideInWords(
  { id, person, from, until, timezone }: ShownOverride & { timezone: string },
  hasEnded: boolean,
) {
  if (hasEnded) return `Ended ${id}.`;
  return `${person.email} is on call from ${timeIn(from, timezone)} until ${timeIn(until, timezone)}: ${id}`;
}
