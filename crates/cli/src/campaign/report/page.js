
// ---- all of it -------------------------------------------------------------------------------

function summary() {
  const trials = data.tasks.reduce((n, task) => n + task.trials.length, 0);
  const finished = data.tasks.filter((task) => task.state === "finished").length;
  const rest = data.to_come.length ? `, ${data.to_come.length} to come` : "";
  byId("summary").textContent =
    `${data.goal}, method ${data.method}, seed ${data.seed}: ${finished} of ${plural(data.tasks.length, "task")} finished${rest}; ${plural(trials, "trial")}.`;
  data.tasks.forEach((task, i) => {
    const chip = element("button", { type: "button", "aria-pressed": "true", style: `border-left-color: ${colour(i)}` },
      `${task.name}: ${short(task.spent)} of ${short(task.budget)}${task.state === "finished" ? "" : ", " + task.state}`);
    chip.addEventListener("click", () => {
      shown[i] = !shown[i];
      chip.setAttribute("aria-pressed", shown[i]);
      draw();
    });
    byId("chips").append(chip);
    byId("task").append(element("option", { value: i }, task.name));
  });
  byId("footer").textContent = `baton ${data.version}`;
}

function draw_wide() {
  draw_best();
  draw_parallel();
}

function draw() {
  draw_wide();
  draw_queries();
  draw_ledger();
}

summary();
byId("task").value = String(Math.max(0, data.tasks.length - 1));
byId("task").addEventListener("change", draw_slices);
draw();
draw_slices();
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  draw_wide();
});
