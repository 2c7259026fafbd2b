// Written by `python -m scripts.typescript_client`; do not edit.

export declare class MnemicError extends Error {
  readonly status: number;
  readonly code: string;
  readonly remedy: string;
  constructor(problem: Partial<Problem>, status: number);
}

export interface Page<T> {
  items: T[];
  next: number | null;
}

export interface RequestOptions {
  signal?: AbortSignal;
  idempotencyKey?: string;
}

export interface ClientOptions {
  token?: string;
  space?: string;
  fetch?: typeof fetch;
}

/** One thing that was done with a token; status is that of the answer, 0 while it is being done or where its process died. subject is the id that was asked about. */
export interface AccessEntry {
  id: string;
  at: string;
  token: string;
  operation: string;
  status: number;
  subject: string;
}

/** One tool call in the story of an episode. */
export interface ActionNode {
  tool: string;
  params: Record<string, unknown>;
  result: string;
  success: boolean;
  error: string;
  decision: string;
  at: string;
}

/** How many records were added, were here before, or say nothing that would be kept. */
export interface AddedRecords {
  added: number;
  known: number;
  dropped: number;
  pending: number;
}

/** A file that was sent or made in a conversation, as it is stored and as it is read. */
export interface Attachment {
  id: string;
  session: string;
  filename: string;
  original_filename: string;
  mime: string;
  size: number;
  path: string;
  url: string;
  direction: "inbound" | "outbound";
  description: string;
  transcription: string;
  extracted_text: string;
  tags: string[];
  memories: string[];
  created_at: string;
  episode: string;
}

/** How often one thing is wrong: examples are ids and what is wrong with each. */
export interface AuditCheck {
  name: string;
  found: number;
  of: number;
  examples: [string, string][];
  remedy: string;
}

/** How good a memory is. */
export interface AuditReport {
  space: string;
  at: string;
  memories: number;
  checks: AuditCheck[];
}

/** A statement that is proposed to be remembered; reconciling decides what becomes of it. */
export interface CandidateInput {
  kind: string;
  text: string;
  subject?: string;
  predicate?: string;
  value?: string;
  importance?: number | null;
  confidence?: number | null;
  duration?: string;
  project?: string;
  topic?: string;
  tags?: string[];
  is_update?: boolean;
  withdraws?: boolean;
  asked?: boolean;
  trust?: "owner" | "agent" | "tool" | "external";
  sources?: string[];
  valid_from?: null | string;
  valid_to?: null | string;
  metadata?: Record<string, unknown>;
  origin?: "extraction" | "compression" | "proposal" | "manual" | "migration";
}

/** One change of a record, and why; into is the survivor of a merge. */
export interface Change {
  action: "archive" | "delete" | "demote" | "expire" | "merge" | "core" | "leave_core" | "forget_file";
  subject: string;
  text: string;
  reason: string;
  into: string;
}

/** A finished task on the scratchpad; at is None where a person wrote no time. */
export interface Completion {
  task: string;
  at: string | null;
}

/** Evidence, cards and conversation fitted to a budget. */
export interface Context {
  text: string;
  messages: Message[];
  tokens: number;
  budget: number;
  sections: SectionUse[];
  dropped: Omission[];
  recent: Turn[];
  summary: string;
  memories: string[];
  reply: number;
  pending: Memory[];
}

/** The latest turns of a session that fit, oldest first, and a summary of what was before. */
export interface ConversationWindow {
  summary: string;
  turns: Turn[];
  tokens: number;
}

/** The short summary of one processed batch of turns. */
export interface DailyEvent {
  id: string;
  day: string;
  channel: string;
  sender: string;
  summary: string;
  tokens: number;
  compressed: boolean;
  created_at: string;
}

/** What one day added: turns that were said, and memories that were learned. */
export interface DayGrowth {
  day: string;
  turns: number;
  memories: number;
}

/** How the importance of a memory fades while it is not used; without a half_life it does not. Below archive_below and delete_below upkeep archives or deletes it. */
export interface DecayCurve {
  id: string;
  half_life: number | null;
  floor: number;
  archive_below: number;
  delete_below: number;
  points: DecayPoint[];
}

/** What the importance of a memory is worth at one moment. */
export interface DecayPoint {
  at: string;
  score: number;
}

/** What becomes of a candidate, and why. */
export interface Decision {
  outcome: "new" | "same" | "update" | "conflict" | "pending" | "dropped" | "withdrawn" | "refused";
  memory: Memory | null;
  replaced: string[];
  reason: string;
}

/** The devices of a memory, what they have forgotten, and what they contradict each other in; public_key is what another device is given to let this one in. */
export interface DevicesReport {
  public_key: string;
  devices: KnownDevice[];
  forgotten: TravelingReceipt[];
  conflicts: [string, string][];
}

/** What happened to one document. */
export interface DocumentReport {
  name: string;
  path: string;
  state: "written" | "unchanged" | "left alone";
  taken: ImportedEdit[];
  asked: PendingQuestion[];
  kept: RejectedText[];
  left_out: string[];
  over: number;
  archive: string;
  problem: string;
}

/** A document as it is on disk; digest changes with it. problem says why it cannot be read. */
export interface DocumentText {
  name: string;
  text: string;
  digest: string;
  problem: string;
}

/** What a drain did. */
export interface Drained {
  done: number;
  retried: number;
  dead: number;
}

/** The story of one session or of one compressed stretch, as it is stored and as it is read. */
export interface Episode {
  id: string;
  session: string;
  summary: string;
  goal: string;
  outcome: "success" | "partial" | "failed" | "ongoing";
  started_at: string;
  ended_at: string;
  actions: ActionNode[];
  entities: string[];
  tools: string[];
  memories: string[];
  tags: string[];
  importance: number;
  access_count: number;
  source: string;
}

/** One change of memory, or one failure on the way to it. */
export interface Event {
  id: string;
  type: string;
  operation_id: string;
  subject: string;
  payload: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>;
  at: string;
}

/** A hit as it may stand in a prompt. */
export interface Evidence {
  hit: Hit;
  head: string;
  text: string;
}

/** One line of a health check. */
export interface Finding {
  check: string;
  ok: boolean;
  detail: string;
  remedy: string;
}

/** One thing that forgetting removes or changes, and why. */
export interface Forgotten {
  kind: string;
  id: string;
  change: "removed" | "rewritten" | "emptied" | "renamed";
  reason: string;
  text: string;
  highlights: [number, number][];
}

/** One thing that forgetting removes or changes, and why. */
export interface ForgottenInput {
  kind: string;
  id: string;
  change: "removed" | "rewritten" | "emptied" | "renamed";
  reason: string;
  text: string;
  highlights?: [number, number][];
}

/** Every version of a memory, oldest first, and what happened to them. */
export interface History {
  versions: Memory[];
  events: Event[];
}

/** One piece of evidence. */
export interface Hit {
  type: "memory" | "turn" | "episode" | "attachment";
  id: string;
  text: string;
  score: number;
  why: Why;
  sources: Source[];
  at: string;
  session: string;
  index: number | null;
  role: string;
  sender: string;
  kind: null | string;
  trust: "owner" | "agent" | "tool" | "external" | null;
  valid_from: string | null;
  ended: string | null;
  importance: number | null;
  metadata: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>;
}

/** One piece of evidence. */
export interface HitInput {
  type: "memory" | "turn" | "episode" | "attachment";
  id: string;
  text: string;
  score: number;
  why: WhyInput;
  sources: SourceInput[];
  at: string;
  session?: string;
  index?: number | null;
  role?: string;
  sender?: string;
  kind?: null | string;
  trust?: "owner" | "agent" | "tool" | "external" | null;
  valid_from?: string | null;
  ended?: string | null;
  importance?: number | null;
  metadata?: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>;
}

/** An edit that was imported; before is the version it superseded. */
export interface ImportedEdit {
  how: "edited" | "added" | "archived";
  memory: string;
  before: string;
}

/** One piece of durable background work. */
export interface Job {
  id: string;
  space: string;
  kind: string;
  key: string;
  payload: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>;
  state: "ready" | "running" | "dead";
  attempts: number;
  max_attempts: number;
  run_at: string;
  created_at: string;
  lease_until: string | null;
  error: string;
}

/** A device of this memory; last_change is when its last change was written or read here. */
export interface KnownDevice {
  id: string;
  name: string;
  own: boolean;
  last_change: string;
  removed: boolean;
}

/** One revisable statement, as it is stored and as it is read. */
export interface Memory {
  id: string;
  kind: string;
  text: string;
  subject: string;
  predicate: string;
  project: string;
  topic: string;
  tags: string[];
  importance: number;
  confidence: number;
  trust: "owner" | "agent" | "tool" | "external";
  status: "active" | "pending" | "superseded" | "rejected" | "archived" | "item";
  access_count: number;
  created_at: string;
  updated_at: string;
  last_accessed_at: string;
  valid_from: string;
  valid_to: string | null;
  superseded_at: string | null;
  superseded_by: string;
  expires_at: string | null;
  sources: Source[];
  episode: string;
  value: string;
  confirmations: number;
  session: string;
  snoozed_until: string | null;
  offered: number;
  metadata: Record<string, unknown>;
  origin: "extraction" | "compression" | "proposal" | "manual" | "migration";
  tier: number;
}

/** One revisable statement, as it is stored and as it is read. */
export interface MemoryInput {
  id: string;
  kind: string;
  text: string;
  subject: string;
  predicate: string;
  project: string;
  topic: string;
  tags: string[];
  importance: number;
  confidence: number;
  trust: "owner" | "agent" | "tool" | "external";
  status: "active" | "pending" | "superseded" | "rejected" | "archived" | "item";
  access_count?: number;
  created_at: string;
  updated_at: string;
  last_accessed_at: string;
  valid_from: string;
  valid_to?: string | null;
  superseded_at?: string | null;
  superseded_by?: string;
  expires_at?: string | null;
  sources?: SourceInput[];
  episode?: string;
  value?: string;
  confirmations?: number;
  session?: string;
  snoozed_until?: string | null;
  offered?: number;
  metadata?: Record<string, unknown>;
  origin?: "extraction" | "compression" | "proposal" | "manual" | "migration";
  tier?: number;
}

/** One message as a model's chat interface takes it. */
export interface Message {
  role: "user" | "assistant" | "tool" | "system";
  content: string;
}

/** How well memory serves; a rate is None where nothing was counted yet. */
export interface Metrics {
  space: string;
  at: string;
  days: number | null;
  put_to_user: number;
  confirmed: number;
  refused: number;
  confirmation_rate: number | null;
  confirmed_of_pending: number | null;
  refused_of_confirmed: number | null;
  learned: number;
  taken_back: number;
  wrong_write_rate: number | null;
  recalls: number;
  recalls_with_evidence: number;
  recall_hit_rate: number | null;
  replies: number;
  replies_using_evidence: number;
  evidence_used_rate: number | null;
  evidence_shown: number;
  evidence_used: number;
  useful_evidence: number | null;
  contexts: number;
  context_tokens: number;
  memory_tokens: number;
  context_share: number | null;
  pending: number;
  queue_depth: number;
  queue_running: number;
  dead_letters: number;
  turns: number;
  turns_failed: number;
  memories: number;
  model_calls: number;
  model_tokens: number;
  cost: number | null;
}

/** Turns that wait for a model that is away: since when, until the next try, and why. */
export interface ModelWait {
  turns: number;
  since: string;
  next_try: string;
  reason: string;
}

/** What a day was about, as another memory tells it. */
export interface NewDailyEventInput {
  day: string;
  summary: string;
  channel?: string;
  sender?: string;
}

/** The story of a conversation, as another memory tells it. */
export interface NewEpisodeInput {
  session: string;
  summary: string;
  started_at: string;
  ended_at?: null | string;
  goal?: string;
  outcome?: "success" | "partial" | "failed" | "ongoing";
  entities?: string[];
  tools?: string[];
  tags?: string[];
  importance?: number;
}

/** A statement to be remembered; without a project or a topic it is of the general one, without a kind it is of the kind that it reads like, else a fact. */
export interface NewMemoryInput {
  text: string;
  kind?: string;
  subject?: string;
  predicate?: string;
  value?: string;
  project?: null | string;
  topic?: null | string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  importance?: number | null;
  confidence?: number;
  trust?: "owner" | "agent" | "tool" | "external";
  valid_from?: null | string;
  valid_to?: null | string;
  expires_at?: null | string;
  sources?: string[];
  supersedes?: null | string;
  scope?: string;
  duration?: string;
  origin?: string;
  learned_at?: null | string;
}

/** A message to be recorded. Without index it goes to the end of its session. */
export interface NewTurnInput {
  session: string;
  role: "user" | "assistant" | "tool" | "system";
  text: string;
  sender?: string;
  channel?: string;
  tool_calls?: ToolCallInput[];
  tool_results?: ToolResultInput[];
  at?: null | string;
  index?: number | null;
  trust?: "owner" | "agent" | "tool" | "external" | null;
  metadata?: Record<string, unknown>;
}

/** Something that is not in a context, or only in part, and the reason. */
export interface Omission {
  section: string;
  reason: string;
  text: string;
  tokens: number;
  id: string;
}

/** The stage of onboarding, and the next text to show; empty when it is done. */
export interface OnboardingState {
  stage: "agent" | "user" | "summary" | "done";
  text: string;
  key: string;
}

/** A part of the scratchpad with a heading of its own, kept as it was written. */
export interface PadSection {
  heading: string;
  text: string;
}

/** A question that waits for a person: memory is the one to forget, or to confirm. */
export interface PendingQuestion {
  memory: string;
  reason: "removed" | "conflict";
}

/** What went wrong, as RFC 9457 has it, and what to do about it. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  remedy: string;
  code: string;
}

/** A memory that a person took out of these documents: is it to be forgotten? */
export interface Question {
  memory: Memory;
  documents: string[];
  asked_at: string;
}

/** Proof of what was forgotten, which holds none of it. */
export interface Receipt {
  id: string;
  space: string;
  at: string;
  asked: string;
  counts: Record<string, number>;
  key: string;
  marks: string[];
  words: string[];
  items: Forgotten[];
  dry_run: boolean;
}

/** Proof of what was forgotten, which holds none of it. */
export interface ReceiptInput {
  id: string;
  space: string;
  at: string;
  asked: string;
  counts: Record<string, number>;
  key?: string;
  marks?: string[];
  words?: string[];
  items?: ForgottenInput[];
  dry_run?: boolean;
}

/** Result of a bulk write; known counts turns that were stored already. */
export interface Recorded {
  added: number;
  known: number;
}

/** Text of a person that stays in the file only, and why. */
export interface RejectedText {
  text: string;
  reason: string;
}

/** One run. With dry_run nothing was changed, and each step was planned by itself. */
export interface Report {
  work: "daily" | "weekly";
  day: string;
  run: string;
  started_at: string;
  steps: StepReport[];
  dry_run: boolean;
}

/** What undoing one source changed, or would change; ids of memories. */
export interface RolledBack {
  source: string;
  removed: string[];
  restored: string[];
  revised: string[];
  operation_id: string;
  dry_run: boolean;
}

/** What the agent is working on: text is the markdown, the other fields what it says. */
export interface Scratchpad {
  focus: string;
  projects: string[];
  completions: Completion[];
  questions: string[];
  next_steps: string[];
  other: PadSection[];
  language: string;
  text: string;
  updated_at: string | null;
}

/** What one part of a context cost: size is its allotment, ids the records it shows. */
export interface SectionUse {
  name: string;
  tokens: number;
  size: number;
  ids: string[];
}

/** One conversation. */
export interface SessionInfo {
  id: string;
  project: string;
  topic: string;
  started_at: string;
  last_at: string;
  ended_at: string | null;
  turns: number;
}

/** Where a piece of knowledge came from. */
export interface Source {
  session: string;
  index: number;
  turn_id: string;
}

/** Where a piece of knowledge came from. */
export interface SourceInput {
  session: string;
  index: number;
  turn_id: string;
}

/** The size and the health of a memory; by_kind counts its memories by the words of the preset's document, the most frequent first. */
export interface Stats {
  space: string;
  turns: number;
  sessions: number;
  memories: number;
  episodes: number;
  attachments: number;
  events: number;
  turn_states: Record<string, number>;
  jobs_ready: number;
  jobs_running: number;
  jobs_dead: number;
  first_at: string | null;
  last_at: string | null;
  file_bytes: number;
  schema: number;
  tokens: number;
  worker_failure: string;
  recall_failure: string;
  unembedded: number;
  read_only: boolean;
  suspended: string[];
  model_wait: ModelWait | null;
  by_kind: Record<string, number>;
}

/** The result of one step; operation undoes it, error says what it waits for. */
export interface StepReport {
  name: string;
  state: "done" | "done before" | "running elsewhere" | "failed" | "planned" | "waiting";
  counts: Record<string, number>;
  changes: Change[];
  operation: string;
  seconds: number;
  error: string;
}

/** What happened to each document. */
export interface SyncReport {
  at: string;
  documents: DocumentReport[];
}

/** One call the assistant made. */
export interface ToolCall {
  name: string;
  input: Record<string, unknown>;
  id: string;
}

/** One call the assistant made. */
export interface ToolCallInput {
  name: string;
  input?: Record<string, unknown>;
  id?: string;
}

/** What a tool answered. */
export interface ToolResult {
  content: string;
  call_id: string;
  is_error: boolean;
}

/** What a tool answered. */
export interface ToolResultInput {
  content: string;
  call_id?: string;
  is_error?: boolean;
}

/** Something that was forgotten, and which devices have erased it, each with the time. */
export interface TravelingReceipt {
  receipt: string;
  device: string;
  at: string;
  counts: Record<string, number>;
  confirmed: Record<string, string>;
  complete: boolean;
}

/** One recorded message, whole. */
export interface Turn {
  id: string;
  session: string;
  index: number;
  role: "user" | "assistant" | "tool" | "system";
  text: string;
  at: string;
  sender: string;
  channel: string;
  tool_calls: ToolCall[];
  tool_results: ToolResult[];
  tokens: number;
  trust: "owner" | "agent" | "tool" | "external";
  state: "new" | "extracted" | "empty" | "failed" | "dead";
  reason: string;
  episode: string;
  metadata: Record<string, unknown>;
}

/** The result of undoing a step: ids restored, and ids left because they changed since. */
export interface Undone {
  operation: string;
  restored: string[];
  left: string[];
}

/** Usage added up for one purpose and model. */
export interface UsageTotal {
  purpose: string;
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost: number | null;
}

/** Whether memory is wanted, and the rule with the word that decided it. */
export interface Verdict {
  wants: boolean;
  reason: string;
}

/** The reasons of one hit: the routes that found it, and each part of its score. */
export interface Why {
  routes: string[];
  parts: Record<string, number>;
  terms: string[];
}

/** The reasons of one hit: the routes that found it, and each part of its score. */
export interface WhyInput {
  routes: string[];
  parts: Record<string, number>;
  terms?: string[];
}

export declare class Mnemic {
  constructor(url: string, options?: ClientOptions);
  /** The same service, in another space. */
  inSpace(space: string): Mnemic;
  /** Every entry of a list, page by page. */
  pages<T, V>(list: (values?: V) => Promise<Page<T>>, values?: V): AsyncGenerator<T, void>;

  /** Open a conversation, or go on with one; gives its id. */
  session(values?: { id?: null | string; project?: null | string; topic?: null | string }, options?: RequestOptions): Promise<string>;

  /** Conversations, the latest first. */
  sessions(values?: { project?: null | string; text?: null | string; since?: null | string; until?: null | string; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<SessionInfo>>;

  /** Mark a conversation as ended; what it leaves is worked out in the background. */
  endSession(values: { session: string }, options?: RequestOptions): Promise<void>;

  /** The latest turns, oldest first, at most limit, else `short_term.recent_limit`. */
  recent(values: { session: string; limit?: number }, options?: RequestOptions): Promise<Turn[]>;

  /** The latest turns within tokens, else `short_term.window_tokens`, and a summary of what was said before them. */
  window(values: { session: string; tokens?: number | null }, options?: RequestOptions): Promise<ConversationWindow>;

  /** Every turn of the conversation, also those that were cleared. */
  sessionTurns(values: { session: string }, options?: RequestOptions): Promise<Turn[]>;

  /** Begin the window anew. The ledger and what was learned stay; forget removes. */
  clear(values: { session: string }, options?: RequestOptions): Promise<void>;

  /** The variables of the conversation; they are in no prompt, and end with no process. */
  variables(values: { session: string }, options?: RequestOptions): Promise<Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>>;

  /** Change some variables, None removes one; gives all of them. */
  setVariables(values: { session: string; values: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string> }, options?: RequestOptions): Promise<Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>>;

  /** Call before dropping messages from a prompt: what they say is kept, quickly. */
  beforeCompression(values: { session: string; messages?: (NewTurnInput | Record<string, unknown>)[] | null }, options?: RequestOptions): Promise<Episode>;

  /** The summary that the host has made of the dropped messages. */
  afterCompression(values: { episode: string; summary: string }, options?: RequestOptions): Promise<Episode>;

  /** Record one turn: durable and findable when this returns. */
  record(values: { session: string; role: "user" | "assistant" | "tool" | "system"; text: string; sender?: string; channel?: string; tool_calls?: ToolCallInput[]; tool_results?: ToolResultInput[]; at?: null | string; index?: number | null; trust?: "owner" | "agent" | "tool" | "external" | null; metadata?: Record<string, unknown> }, options?: RequestOptions): Promise<Turn>;

  /** Turns by session, time, role, tool, state or metadata. */
  turns(values?: { session?: null | string; project?: null | string; since?: null | string; until?: null | string; role?: "user" | "assistant" | "tool" | "system" | null; tool?: null | string; state?: "new" | "extracted" | "empty" | "failed" | "dead" | null; metadata?: Record<string, number | boolean | null | string> | null; newest_first?: boolean; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Turn>>;

  /** Record a turn that is already a value. */
  recordTurn(values: { new: NewTurnInput }, options?: RequestOptions): Promise<Turn>;

  /** Record many turns quickly; repeating an interrupted call adds nothing twice. topics say what their sessions are about, project is that of all of them. */
  recordMany(values: { turns: NewTurnInput[]; topics?: Record<string, string> | null; project?: string }, options?: RequestOptions): Promise<Recorded>;

  /** The turn at a place in a conversation, with so many before and after it. */
  turnsAround(values: { session: string; index: number; around?: number }, options?: RequestOptions): Promise<Turn[]>;

  /** Remember a file that was sent or made. Its path is one of the caller's machine: nothing is looked up on this one. */
  attach(values: { path_or_url: string; session?: string; direction?: "inbound" | "outbound"; original_filename?: string; mime?: string; size?: number; description?: string; transcription?: string; extracted_text?: string; tags?: string[]; memories?: string[] }, options?: RequestOptions): Promise<Attachment>;

  /** Files, the latest first. */
  attachments(values?: { session?: null | string; direction?: "inbound" | "outbound" | null; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Attachment>>;

  /** Fill in what is in a file, once it is known. */
  describeAttachment(values: { id: string; description?: null | string; transcription?: null | string; extracted_text?: null | string }, options?: RequestOptions): Promise<Attachment>;

  /** One line per stretch of conversation, the latest first, with all words of text. */
  dailyEvents(values?: { day?: string | null; text?: null | string; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<DailyEvent>>;

  /** What changed and what failed, the latest first. */
  events(values?: { subject?: null | string; type?: null | string; since?: null | string; until?: null | string; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Event>>;

  /** An event of the host, host.NAME: rules of the settings may act on it. */
  emit(values: { type: string; payload?: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string> | null; subject?: string }, options?: RequestOptions): Promise<Event>;

  /** Record that a part of the host could not use memory; the host itself went on. */
  noteFailure(values: { where: string; error: string }, options?: RequestOptions): Promise<Event>;

  /** Note what a model call cost. */
  recordUsage(values: { purpose: string; model: string; input_tokens: number; output_tokens: number; cost?: number | null }, options?: RequestOptions): Promise<void>;

  /** Tokens and cost by purpose and model. */
  usage(values?: { since?: null | string }, options?: RequestOptions): Promise<UsageTotal[]>;

  /** Keep a statement, unless it is known already; says what became of it. */
  remember(values: { text: string; kind?: string; sources?: string[]; supersedes?: null | string; operation_id?: null | string; subject?: string; predicate?: string; value?: string; project?: string; topic?: string; tags?: string[]; metadata?: Record<string, unknown>; importance?: number | null; confidence?: number; trust?: "owner" | "agent" | "tool" | "external"; valid_from?: null | string; valid_to?: null | string; expires_at?: null | string; scope?: string; duration?: string; origin?: string }, options?: RequestOptions): Promise<Decision>;

  /** Memories that hold now, the latest first, or whatever the query says. */
  memories(values?: { kind?: string[] | null | string; scope?: null | string; priority?: null | string; origin?: null | string; min_importance?: number | null; project?: null | string; topic?: null | string; subject?: null | string; predicate?: null | string; tag?: null | string; trust?: "owner" | "agent" | "tool" | "external" | null; status?: null | "active" | "pending" | "superseded" | "rejected" | "archived" | "item" | "all"; text?: null | string; metadata?: Record<string, number | boolean | null | string> | null; since?: null | string; until?: null | string; as_of?: null | string; known_at?: null | string; order?: "newest" | "oldest" | "updated" | "importance" | "used"; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Memory>>;

  /** Add memories, episodes and daily events of another memory, with their own times. */
  addMany(values: { records: Record<string, NewMemoryInput | NewEpisodeInput | NewDailyEventInput> }, options?: RequestOptions): Promise<AddedRecords>;

  /** Keep a value of the host's own under a key, found by memories and, by its text, by recall with status="item" only: nothing else reads, learns or fades it. */
  putItem(values: { project: string; key: string; value: Record<string, number | boolean | null | (number | boolean | null | unknown[] | Record<string, unknown> | string)[] | Record<string, number | boolean | null | unknown[] | Record<string, unknown> | string> | string>; text?: string }, options?: RequestOptions): Promise<Memory>;

  /** What a model wants kept; rules, core, changes of the owner's word wait for a person. */
  propose(values: { candidate: CandidateInput; operation_id?: null | string }, options?: RequestOptions): Promise<Decision>;

  /** One memory, of whatever status. */
  get(values: { id: string }, options?: RequestOptions): Promise<Memory>;

  /** The next version of a memory, which differs in what is given. */
  edit(values: { id: string; operation_id?: null | string; subject?: string; predicate?: string; value?: string; project?: string; topic?: string; tags?: string[]; metadata?: Record<string, unknown>; importance?: number | null; confidence?: number; trust?: "owner" | "agent" | "tool" | "external"; valid_from?: null | string; valid_to?: null | string; expires_at?: null | string; scope?: string; duration?: string; origin?: string; text?: string; kind?: string }, options?: RequestOptions): Promise<Memory>;

  /** Remove a memory, all versions; its turns stay, and it is not learned from them again. */
  delete(values: { id: string }, options?: RequestOptions): Promise<Memory>;

  /** The whole id of the only memory, turn, episode, file or job whose id begins so. */
  findId(values: { prefix: string }, options?: RequestOptions): Promise<string>;

  /** Every version of a memory and what happened to it. */
  history(values: { id: string }, options?: RequestOptions): Promise<History>;

  /** Put a memory away: it is not recalled, and restore brings it back. */
  archive(values: { id: string }, options?: RequestOptions): Promise<Memory>;

  /** A memory that was archived holds again; one that was only asked about stays. */
  restore(values: { id: string }, options?: RequestOptions): Promise<Memory>;

  /** The secret of a credential, which nothing else shows. */
  reveal(values: { id: string }, options?: RequestOptions): Promise<string>;

  /** Every project that a memory of that status belongs to; without one, a current memory. */
  projects(values?: { status?: "active" | "pending" | "superseded" | "rejected" | "archived" | "item" }, options?: RequestOptions): Promise<string[]>;

  /** Statements that wait for the user's word, the latest first. */
  pending(values?: { offer?: boolean; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Memory>>;

  /** The user says that a pending statement is true. */
  confirm(values: { id: string; operation_id?: null | string }, options?: RequestOptions): Promise<Decision>;

  /** The user does not want it kept; it is not offered again, in other words either. */
  ignore(values: { id: string; operation_id?: null | string }, options?: RequestOptions): Promise<Memory>;

  /** The user will answer another time. */
  snooze(values: { id: string; operation_id?: null | string }, options?: RequestOptions): Promise<Memory>;

  /** Say that texts went into a prompt by another way than recall and context. */
  noteShown(values: { texts: string[]; record?: string; trust?: "owner" | "agent" | "tool" | "external"; session?: null | string }, options?: RequestOptions): Promise<void>;

  /** Undo all that came from one source: session:ID, turn:ID, trust:TIER or sender:NAME. */
  rollback(values: { source: string; dry_run?: boolean; operation_id?: null | string }, options?: RequestOptions): Promise<RolledBack>;

  /** The stories of sessions, the latest first. */
  episodes(values?: { session?: null | string; entity?: null | string; tool?: null | string; outcome?: "success" | "partial" | "failed" | "ongoing" | null; since?: null | string; until?: null | string; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Episode>>;

  /** What the agent is working on. */
  scratchpad(options?: RequestOptions): Promise<Scratchpad>;

  /** The user's or the agent's own text in place of it. */
  writeScratchpad(values: { markdown: string; by?: "user" | "agent" }, options?: RequestOptions): Promise<Scratchpad>;

  /** The task at hand as the host states it, as Session.set_task does. */
  setTask(values: { task: string; session?: null | string }, options?: RequestOptions): Promise<Scratchpad>;

  /** The best evidence for a query, with reasons; [] where nothing scores enough. */
  recall(values: { query: string; limit?: number; min_score?: number | null; of?: ("memory" | "turn" | "episode" | "attachment")[] | "memory" | "turn" | "episode" | "attachment" | null; session?: null | string; project?: null | string; topic?: null | string; kind?: string[] | null | string; scope?: null | string; min_importance?: number | null; speaker?: null | string; trust?: "owner" | "agent" | "tool" | "external" | null; status?: "active" | "pending" | "superseded" | "rejected" | "archived" | "item" | null; since?: null | string; until?: null | string; as_of?: null | string; known_at?: null | string; metadata?: Record<string, number | boolean | null | string> | null; persona?: null | string; around?: string[] }, options?: RequestOptions): Promise<Hit[]>;

  /** The same evidence as text for a prompt, fenced as data, of at most max_tokens. */
  retrieve(values: { query: string; max_tokens?: number; limit?: number; min_score?: number | null; of?: ("memory" | "turn" | "episode" | "attachment")[] | "memory" | "turn" | "episode" | "attachment" | null; session?: null | string; project?: null | string; topic?: null | string; kind?: string[] | null | string; scope?: null | string; min_importance?: number | null; speaker?: null | string; trust?: "owner" | "agent" | "tool" | "external" | null; status?: "active" | "pending" | "superseded" | "rejected" | "archived" | "item" | null; since?: null | string; until?: null | string; as_of?: null | string; known_at?: null | string; metadata?: Record<string, number | boolean | null | string> | null; persona?: null | string; around?: string[] }, options?: RequestOptions): Promise<string>;

  /** Hits as fenced records with date and speaker, without what fits too little or repeats. */
  evidence(values: { query: string; hits: HitInput[] }, options?: RequestOptions): Promise<Evidence[]>;

  /** How the preset's document calls the kind, scope, priority and source of a memory. */
  words(values: { record: MemoryInput | HitInput }, options?: RequestOptions): Promise<Record<string, string>>;

  /** What the agent should see before it answers, within budget tokens. */
  context(values: { query: string; session?: null | string; budget?: number | null; model?: string; persona?: null | string; host?: Record<string, string> | null; shown?: string[] | null }, options?: RequestOptions): Promise<Context>;

  /** Whether a message wants memory, by rule and at once. */
  gate(values: { message: string }, options?: RequestOptions): Promise<Verdict>;

  /** BackgroundWork work that waits, runs, or died. */
  jobs(values?: { state?: "ready" | "running" | "dead" | null; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<Job>>;

  /** Give dead jobs (all, or these) a fresh start; says how many. */
  redrive(values?: { ids?: string[] | null }, options?: RequestOptions): Promise<number>;

  /** Remove dead jobs for good; says how many. */
  discard(values: { ids: string[] }, options?: RequestOptions): Promise<number>;

  /** Run every due job of this space now, at most for timeout seconds, and learn from conversations that are still going on (triggers.on_drain), unless due_only. */
  drain(values?: { timeout?: number | null; due_only?: boolean }, options?: RequestOptions): Promise<Drained>;

  /** Do the daily or weekly work now, or with dry_run say what it would change and why. */
  upkeep(values?: { work?: "daily" | "weekly"; dry_run?: boolean }, options?: RequestOptions): Promise<Report>;

  /** Take one step of upkeep back, by the operation that its report names. */
  undoUpkeep(values: { operation: string }, options?: RequestOptions): Promise<Undone>;

  /** Rules of the bus that ask before they act, the latest first. */
  waitingRules(options?: RequestOptions): Promise<Event[]>;

  /** Let a rule act that asked. */
  approveRule(values: { event: string }, options?: RequestOptions): Promise<void>;

  /** Where the first talk about agent and user stands; begin asks where no preset does. */
  onboarding(values?: { begin?: boolean }, options?: RequestOptions): Promise<OnboardingState>;

  /** Take the user's answer to what was asked last. */
  onboard(values: { answer: string }, options?: RequestOptions): Promise<OnboardingState>;

  /** Bring the documents and memory together, in both directions. */
  sync(options?: RequestOptions): Promise<SyncReport>;

  /** Memories that a person took out of a document: are they to be forgotten? */
  questions(options?: RequestOptions): Promise<Question[]>;

  /** The documents as they are on disk. */
  documents(options?: RequestOptions): Promise<DocumentText[]>;

  /** A person's own text of a document; with a digest only if it is still that one. */
  writeDocument(values: { name: string; markdown: string; digest?: null | string }, options?: RequestOptions): Promise<SyncReport>;

  /** Turns said and memories learned on each of the last days, oldest first. */
  growth(values?: { days?: number }, options?: RequestOptions): Promise<DayGrowth[]>;

  /** How a memory fades if nobody uses it, since its last use and for so many days more. */
  decayCurve(values: { id: string; days?: number }, options?: RequestOptions): Promise<DecayCurve>;

  /** The size and the health of this memory. */
  stats(options?: RequestOptions): Promise<Stats>;

  /** How well memory serves, over the last days or over all time. */
  metrics(values?: { days?: number | null }, options?: RequestOptions): Promise<Metrics>;

  /** The same in the text format of Prometheus. */
  prometheus(options?: RequestOptions): Promise<string>;

  /** How much is said twice, faded, contradictory, unfounded, secret or orphaned. */
  audit(options?: RequestOptions): Promise<AuditReport>;

  /** Remove for good whatever an id, words, a session, a source or a time range names. */
  forget(values?: { dry_run?: boolean; id?: null | string; query?: null | string; session?: null | string; source?: null | string; since?: null | string; until?: null | string }, options?: RequestOptions): Promise<Receipt>;

  /** Remove this whole memory for good, with its name; dry_run only counts it. */
  forgetSpace(values?: { dry_run?: boolean }, options?: RequestOptions): Promise<Receipt>;

  /** Changes made in this space over HTTP or MCP, and by which token, the latest first. */
  accesses(values?: { token?: null | string; limit?: number; offset?: number }, options?: RequestOptions): Promise<Page<AccessEntry>>;

  /** The devices of this memory, what was forgotten on them, and their contradictions. */
  devices(options?: RequestOptions): Promise<DevicesReport>;

  /** Check the database; changes nothing. */
  doctor(values?: { deep?: boolean; forgotten?: ReceiptInput | null | string }, options?: RequestOptions): Promise<Finding[]>;

  /** Rebuild the text index of every space, remove what leads to nothing, ask for missing vectors and finish what was being forgotten; says how many records were indexed. */
  repair(options?: RequestOptions): Promise<number>;

  /** The settings in force, without secrets. */
  settings(options?: RequestOptions): Promise<Record<string, unknown>>;
}
