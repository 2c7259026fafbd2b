// What a search found, as answers; and a score as points that add up to it.

// Hits that say the same are one answer: a turn belongs to the memory that was learned from it, an
// episode to the best memory or turn of its conversation that has to do with the question too.
export function group(hits) {
  const answers = [];
  const episodes = hits.filter((hit) => hit.type === "episode");
  for (const hit of hits.filter((one) => one.type !== "episode")) {
    const home = hit.type === "turn" && answers.find((one) => one.members.some((other) =>
      other.type === "memory" && other.sources.some((source) => source.turn_id === hit.id)));
    if (home) home.members.push(hit);
    else answers.push({ members: [hit] });
  }
  for (const answer of answers.filter((one) => one.members[0].type === "turn")) {
    // The turn was the better hit and came first: the memory that was learned from it joins it.
    const [turn] = answer.members;
    const learned = answers.find((one) => one !== answer && one.members.length === 1 && one.members[0].type === "memory"
      && one.members[0].sources.some((source) => source.turn_id === turn.id));
    if (learned) answer.members.push(...learned.members.splice(0));
  }
  const filled = answers.filter((one) => one.members.length);
  for (const episode of episodes) {
    const home = filled.find((one) => one.members.some((hit) => session(hit) === episode.session && isAkin(hit, episode)));
    if (home && !home.members.some((hit) => hit.type === "episode")) home.members.push(episode);
    else filled.push({ members: [episode] });
  }
  return filled.map(described).sort((a, b) => b.score - a.score);
}

function session(hit) {
  return hit.session || hit.sources[0]?.session;
}

function isAkin(hit, episode) {
  return hit.score >= episode.score / 2 || hit.why.terms.some((term) => term.length > 1 && episode.why.terms.includes(term));
}

// The memory heads an answer, else the turn; its score is that of its best part.
function described({ members }) {
  const best = members.reduce((a, b) => (b.score > a.score ? b : a));
  const head = ["memory", "attachment", "turn", "episode"].map((type) => members.find((hit) => hit.type === type)).find(Boolean);
  const unique = (values) => [...new Set(values)];
  return {
    members, best, head, score: best.score,
    routes: unique(members.flatMap((hit) => hit.why.routes)), terms: unique(members.flatMap((hit) => hit.why.terms)),
  };
}

const COUNTED = "of exactly"; // says how many there are, and is no part of a score
const TINY = 0.004; // points that nobody would see are added up

// [name, points], which add up to the score.
export function shares(hit, ranking) {
  const parts = Object.entries(hit.why.parts).filter(([name]) => name !== COUNTED);
  const points = ranking.fusion === "learned" ? ofOdds(hit, parts) : ofWeights(hit, parts, ranking.weights);
  const seen = points.filter(([name, value]) => name === "start" || Math.abs(value) >= TINY).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]));
  const rest = hit.score - seen.reduce((sum, [, value]) => sum + value, 0);
  const start = seen.filter(([name]) => name === "start");
  return [...start, ...seen.filter(([name]) => name !== "start"), ["rest", rest]];
}

// A probability is made of log odds: each part gets its share of the way from where the score would be
// without any of them to where it is.
function ofOdds(hit, parts) {
  if (hit.why.parts.slot) return [["slot", hit.score]];
  const odds = Math.log(hit.score / Math.max(1e-9, 1 - hit.score));
  const sum = parts.reduce((total, [, value]) => total + value, 0);
  const start = 1 / (1 + Math.exp(sum - odds));
  const each = Math.abs(sum) > 1e-6 ? (hit.score - start) / sum : hit.score * (1 - hit.score);
  return [["start", start], ...parts.map(([name, value]) => [name, value * each])];
}

function ofWeights(hit, parts, weights) {
  const boost = hit.why.parts.persona ?? 1;
  return parts.filter(([name]) => weights[name]).map(([name, value]) => [name, Math.min(1, Math.max(0, value)) * weights[name] * boost]);
}
