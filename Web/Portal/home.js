// The overview, from the server's own metrics.

import { call, may, me } from "./api.js";
import { actionButton, facts, h, pageHead, replace, section, toast } from "./dom.js";
import { barChart, columnChart } from "./charts.js";
import { route } from "./router.js";
import { formatBytes, formatList, formatNumber, formatShare, formatTime, formatUnit, named,
  t } from "./strings.js";
import { firstSteps } from "./first-steps.js";

route("/admin", async (params, root, { signal }) => {
  if (!may("readMetrics")) {
    replace(root, pageHead(t("home.welcome", { name: me.name })));
    return;
  }
  const body = h("div", { class: "stack" }), started = h("div"), lead = h("p", { class: "lead" });
  const show = async () => {
    const metrics =
      new Map((await call("GET", "/v1/metrics", { signal })).items.map((metric) => [metric.name, metric.series]));
    lead.textContent = t("home.lead", { time: formatTime(value(metrics, "mien_start_timestamp_seconds") * 1000) });
    replace(body, draw(metrics));
  };
  const head = pageHead(t("home.title"),
    { actions: [actionButton(t("home.refresh"), async () => { await show(); toast(t("home.refreshed")); })] });
  head.append(lead);
  await Promise.all([show(), firstSteps(started, signal)]);
  replace(root, head, started, body);
});

const all = (metrics, name) => metrics.get(name) ?? [];
const value = (metrics, name, labels = {}) => all(metrics, name)
  .find((one) => Object.entries(labels).every(([key, text]) => one.labels[key] === text))?.value ?? 0;

/** The series of a counter as bars, the largest first, named by some of their labels. */
function bars(metrics, name, labels, bad = []) {
  const sums = new Map();
  for (const one of all(metrics, name)) {
    const text =
      formatList(labels.filter((label) => one.labels[label]).map((label) => word(label, one.labels[label])));
    const isBad = labels.some((label) => bad.includes(one.labels[label]));
    const sum = sums.get(text) ?? { name: text, value: 0, series: isBad ? 4 : 1 };
    sum.value += one.value;
    sums.set(text, sum);
  }
  return [...sums.values()].sort((a, b) => b.value - a.value).slice(0, 24);
}

/** The value of a metric's label in words. */
function word(label, value) {
  return named({ type: "users.type", reason: "home.reason" }[label] ?? "home.word", value);
}

const bad = ["refused", "rejected", "rejection", "failed", "failure", "locked", "disabled", "expired", "invalid",
  "false", "dropped", "error", "errors"];

function draw(metrics) {
  const total = (name, labels = {}) => all(metrics, name).filter((one) => Object.entries(labels)
    .every(([key, text]) => one.labels[key] === text)).reduce((sum, one) => sum + one.value, 0);
  const accepted = total("mien_authentications_total", { result: "accepted" }),
    refused = total("mien_authentications_total", { result: "refused" });
  const success = total("mien_journeys_ended_total", { end: "success" }), ended = total("mien_journeys_ended_total");
  const started = all(metrics, "mien_journeys_started_total").reduce((sum, one) => sum + one.value, 0);
  // What has not happened yet has no picture.
  const chart = (key, parts, { lead, isWide = false } = {}) => parts.some((part) => part.value)
    && { isWide, section: section(t(key), { lead }, (isWide ? columnChart : barChart)(t(key), parts)) };
  const drawn = [
    chart("home.sign_ins", bars(metrics, "mien_authentications_total", ["type", "result"], bad),
      { lead: t("home.sign_ins_lead") }),
    chart("home.grants", bars(metrics, "mien_grants_total", ["result"], bad)),
    chart("home.oauth_refusals",
      bars(metrics, "mien_oauth_refusals_total", ["error"]).map((bar) => ({ ...bar, series: 4 })),
      { lead: t("home.oauth_refusals_lead") }),
    chart("home.journeys", bars(metrics, "mien_journeys_ended_total", ["end"], bad),
      { lead: t("home.journeys_lead", { count: started }) }),
    chart("home.refusals",
      bars(metrics, "mien_capture_refusals_total", ["reason"]).map((bar) => ({ ...bar, series: 4 }))),
    chart("home.presentations", bars(metrics, "mien_presentation_checks_total", ["mode", "result"], bad)),
    chart("home.shadow", bars(metrics, "mien_face_shadow_decisions_total", ["policy", "active", "shadow"]),
      { lead: t("home.shadow_lead") }),
    chart("home.scores", scores(metrics), { lead: t("home.scores_lead"), isWide: true }),
  ].filter(Boolean);
  return [
    h("dl", { class: "tiles" },
      tile(t("home.tile_authentications"), formatNumber(accepted),
        t("home.tile_refused", { share: formatShare(accepted + refused ? refused / (accepted + refused) : 0) })),
      tile(t("home.tile_journeys"), formatNumber(success), t("home.tile_ended", { count: ended })),
      tile(t("home.tile_tokens"), formatNumber(total("mien_grants_total", { result: "granted" })),
        t("home.tile_refreshed", { count: total("mien_grants_total", { result: "refreshed" }) })),
      tile(t("home.tile_captures"), formatNumber(value(metrics, "mien_live_captures")),
        t("home.tile_jobs", { count: value(metrics, "mien_identity_jobs_waiting") }))),
    ...drawn.length ? [h("div", { class: "cards" }, drawn.filter((one) => !one.isWide).map((one) => one.section)),
      ...drawn.filter((one) => one.isWide).map((one) => one.section)]
      : [section(t("home.charts"), {}, h("p", { class: "empty" }, t("home.charts_none")))],
    section(t("home.latency"), { lead: t("home.latency_lead") }, latency(metrics)),
    h("div", { class: "cards" },
      section(t("home.queues"), { lead: t("home.queues_lead") }, queues(metrics)),
      section(t("home.server"), {}, server(metrics))),
  ];
}

/** One number with its name, and what belongs to it. */
function tile(name, number, more) {
  return h("div", { class: "tile" }, h("dt", null, name), h("dd", null, number), h("dd", { class: "small" }, more));
}

/** The number of comparisons by the score from which each bucket begins. */
function scores(metrics) {
  const sums = new Map();
  for (const one of all(metrics, "mien_face_scores_total")) {
    const from = Number(one.labels.from);
    sums.set(from, (sums.get(from) ?? 0) + one.value);
  }
  return [...sums].sort(([a], [b]) => a - b).map(([from, count]) => ({ name: formatNumber(from), value: count }));
}

function table(title, columns, rows) {
  if (!rows.length) return h("p", { class: "empty" }, t("home.nothing"));
  return h("div", { class: "table-area", tabindex: "0", role: "group", "aria-label": title },
    h("table", { class: "table" },
      h("thead", null, h("tr", null,
        columns.map((name, index) => h("th", { scope: "col", class: index ? "cell-number" : null }, name)))),
      h("tbody", null,
        rows.map(
          (row) =>
            h("tr", null, row.map((one, index) => index
              ? h("td", { class: "cell-number" }, one) : h("th", { scope: "row" }, one)))))));
}

/** The bound of the bucket with a part of the observations. */
function quantile(series, part) {
  let seen = 0, below = 0;
  for (const bucket of series.buckets) {
    seen += bucket.count;
    if (seen >= series.count * part)
      return bucket.at_most === undefined ? t("home.more_than", { value: milliseconds(below) })
        : t("home.at_most", { value: milliseconds(bucket.at_most) });
    below = bucket.at_most;
  }
  return "";
}

function milliseconds(seconds) {
  return seconds < 1 ? formatUnit(seconds * 1000, "millisecond") : formatUnit(seconds, "second");
}

function latency(metrics) {
  const series = all(metrics, "mien_http_request_duration_seconds").filter((one) => one.count)
    .sort((a, b) => b.value - a.value).slice(0, 12);
  return table(t("home.latency"), [t("home.route"), t("home.requests"), t("home.median"), t("home.p95")],
    series.map(
      (one) => [h("code", null, one.labels.route), formatNumber(one.count), quantile(one, 0.5), quantile(one, 0.95)]));
}

function queues(metrics) {
  const rows = all(metrics, "mien_queue_waiting")
    .map((one) => [word("queue", one.labels.queue), formatNumber(one.value),
      formatNumber(value(metrics, "mien_queue_limit", one.labels)),
      formatNumber(value(metrics, "mien_queue_workers", one.labels))]);
  return [table(t("home.queues"), [t("home.queue"), t("home.waiting"), t("home.limit"), t("home.workers")], rows),
  ];
}

function server(metrics) {
  const backup = value(metrics, "mien_backup_timestamp_seconds");
  return facts([
    [t("home.started"), formatTime(value(metrics, "mien_start_timestamp_seconds") * 1000)],
    [t("home.backup"), backup ? formatTime(backup * 1000) : t("shell.never")],
    [t("home.database"), formatBytes(all(metrics, "mien_database_bytes").reduce((sum, one) => sum + one.value, 0))],
    [t("home.free"), formatBytes(value(metrics, "mien_data_free_bytes"))],
    [t("home.memory"), formatBytes(value(metrics, "mien_resident_bytes"))],
    [t("home.files"), formatNumber(value(metrics, "mien_open_files"))],
    [t("home.mails"), formatList(all(metrics, "mien_mails_total")
      .map((one) => `${word("result", one.labels.result)}: ${formatNumber(one.value)}`))],
  ]);
}
