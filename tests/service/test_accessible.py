"""The dashboard and the report for everybody: by keyboard, by touch, on a phone, read aloud, light and dark."""

import math
import os
import re
import subprocess
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from service import BATON, ROOT, Service
from test_browser import compare_insight, short
from test_problems import OVEN, WING, oven
from test_problems import wing as fly

AXE = ROOT / "dashboard/node_modules/axe-core/axe.min.js"
NAME = "tuning a network"
TASKS = ["monday", "tuesday", "wednesday"]
SPACE = [
    {"name": "width", "low": 0, "high": 1},
    {"name": "rate", "low": 1e-4, "high": 1e-1, "log": True},
    {"name": "optimiser", "choices": ["adam", "sgd"]},
]
# Where to put screenshots, for those who want to look.
SHOTS = os.environ.get("BATON_SHOTS")


def simulate(trial):
    point = trial["point"]
    value = (point["width"] - 0.6) ** 2 + point["rate"] + (0.05 if point["optimiser"] == "sgd" else 0)
    return value + (0.02 if trial["fidelity"] == "coarse" else 0)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    """A task that is finished, one that is paused with a failed and a pending trial, and one to come."""
    store = f"sqlite:{tmp_path_factory.mktemp('accessible')}/store.db"
    with Service(store) as service:
        api = service.client()
        fidelities = [{"name": "coarse", "cost": 1}, {"name": "fine", "cost": 4}]
        tasks = [{"name": name, "budget": 60} for name in TASKS]
        api.create(NAME, space=SPACE, fidelities=fidelities, goal="minimize", tasks=tasks, seed=2)
        for task, trials in (("monday", 20), ("tuesday", 18)):
            for _ in range(trials):
                trial = api.ask(NAME)["trial"]
                api.tell(NAME, task, trial["trial"], simulate(trial))
            if task == "monday":
                api.finish(NAME, task)
        api.fail(NAME, "tuesday", api.ask(NAME)["trial"]["trial"], "the simulator crashed")
        api.propose(NAME, "tuesday", {"width": 0.5, "rate": 1e-3, "optimiser": "adam"})
        api.pause(NAME, "tuesday", "somebody looks at it")
        service.store = store
        yield service


@pytest.fixture(scope="module")
def report(campaign, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    subprocess.run([BATON, "report", path, NAME, "--store", campaign.store], check=True, stdout=subprocess.DEVNULL)
    return path


def pages(service):
    """Every page of the dashboard, what its heading and its title say, and how many canvases it has at least."""
    here = f"{service.url}/#/{quote(NAME)}"
    return [
        (service.url, "Campaigns", "Campaigns · Baton", 0),
        (here, NAME, f"{NAME} · Baton", 3),
        (f"{here}/task/tuesday", "tuesday", f"tuesday · {NAME} · Baton", 8),
        (f"{here}/task/monday", "monday", f"monday · {NAME} · Baton", 8),
        (f"{here}/insight", "Insight", f"Insight · {NAME} · Baton", 1),
        (f"{here}/knowledge", "Knowledge", f"Knowledge · {NAME} · Baton", 4),
    ]


def visit(page, url, canvases):
    """Opens a page and waits until all of it is drawn."""
    page.goto("about:blank")  # else only what stands after the # would change
    page.goto(url)
    expect(page.locator("h1")).to_be_visible()
    page.wait_for_function("count => document.querySelectorAll('canvas').length >= count", arg=canvases)


def shot(page, name):
    if SHOTS:
        page.evaluate("scrollTo(0, 0)")
        page.wait_for_timeout(400)
        page.screenshot(path=f"{SHOTS}/{name}.png", full_page=True)


def violations(page):
    """What axe-core finds: the rule, why, and where. Evaluated, as a page may refuse scripts that are added to it."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("axe.run().then((result) => result.violations)")
    return [(rule["id"], node["target"], node["failureSummary"]) for rule in found for node in rule["nodes"]]


def scrolls_sideways(page):
    return page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")


# Canvases that do not say in words, with a number, what is drawn
UNNAMED = "[...document.querySelectorAll('canvas')].filter((c) => c.role !== 'img' || !/\\d/.test(c.ariaLabel ?? ''))"
LOOKS = [(theme, width) for theme in ("light", "dark") for width in (1280, 390)]


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_the_dashboard(page, campaign, theme, width):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    for url, heading, _, canvases in pages(campaign):
        visit(page, url, canvases)
        if heading == "tuesday":
            page.get_by_text("Propose a point of your own").click()
            page.locator("[data-trial='18'] button").click()
            expect(page.locator(".story")).to_contain_text("the simulator crashed")
        shot(page, f"{heading}-{theme}-{width}")
        assert violations(page) == [], heading
    assert page.complaints == []


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_axe_finds_nothing_on_the_report(page, report, theme, width):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(report.as_uri())
    page.locator("#ledger tbody button").first.click()
    shot(page, f"report-{theme}-{width}")
    assert violations(page) == []


@pytest.fixture(scope="module")
def wing(tmp_path_factory):
    """A campaign whose tasks are described, and its report."""
    folder = tmp_path_factory.mktemp("wing")
    store = f"sqlite:{folder}/store.db"
    with Service(store) as service:
        api = service.client()
        api.create("wing", **WING)
        api.run("wing", fly)
        service.report = folder / "report.html"
        subprocess.run([BATON, "report", service.report, "wing", "--store", store], check=True, stdout=subprocess.DEVNULL)
        yield service


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_what_descriptors_tell_is_seen_and_told_in_words(page, wing, theme, width):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    known = wing.client()._call("GET", "/api/campaigns/wing/predict?over=reynolds")
    for place, url in (("knowledge", f"{wing.url}/#/wing/knowledge"), ("report", wing.report.as_uri())):
        visit(page, url, 4)
        expect(page.get_by_text(f"{known['in_words']}.")).to_be_visible()
        for of in known["descriptors"]:
            expect(page.locator(f"[data-share='{of['name']}']")).to_have_text(f"{math.floor(100 * of['share'] + 0.5)} %")
        expect(page.locator("select[name=descriptor]")).to_have_value("reynolds")  # it matters most
        figure = page.get_by_role("img", name="Best expected value over reynolds")
        told = figure.get_attribute("aria-label")
        ends = [known["over"]["curve"][i]["expected"]["mean"] for i in (0, -1)]
        assert all(short(end) in told for end in ends) and "slow" in told and "cruise" in told
        expect(page.get_by_role("img", name="x of the best point over reynolds")).to_be_visible()
        figure.hover(force=True)  # uPlot lays its cursor over it
        expect(page.locator(".hover-words", has_text="At reynolds =")).to_contain_text("use x =")
        page.locator("select[name=descriptor]").select_option("gas")
        expect(page.get_by_role("img", name="Best expected value over gas")).to_be_visible()
        assert page.evaluate(UNNAMED) == [] and not scrolls_sideways(page)
        shot(page, f"wing-{place}-{theme}-{width}")
        assert violations(page) == [], place
    expect(page.locator("#opening")).to_contain_text("reynolds=200000, gas=air")
    page.goto(f"{wing.url}/#/wing")
    expect(page.locator("[data-describe='slow']")).to_have_text("reynolds = 200000,  gas = air")
    page.goto(f"{wing.url}/#/wing/task/fast")
    expect(page.locator(".heading p")).to_have_text("A task of wing: reynolds = 5000000.")


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    """A campaign with constraints: a task that is finished, one under way with a pending trial. And its report."""
    folder = tmp_path_factory.mktemp("oven")
    store = f"sqlite:{folder}/store.db"
    with Service(store) as service:
        api = service.client()
        api.create("oven", **OVEN)
        for task, trials in (("one", 12), ("two", 7)):
            for _ in range(trials):
                trial = api.ask("oven")["trial"]
                value, measured = oven(trial)
                api.tell("oven", task, trial["trial"], value, constraints=measured)
            if task == "one":
                api.finish("oven", task)
        api.ask("oven")
        service.report = folder / "report.html"
        subprocess.run([BATON, "report", service.report, "oven", "--store", store], check=True, stdout=subprocess.DEVNULL)
        yield service


@pytest.mark.parametrize(("theme", "width"), LOOKS)
def test_what_has_to_keep_bounds_is_seen_and_told_in_words(page, baked, theme, width):
    page.emulate_media(color_scheme=theme)
    page.set_viewport_size({"width": width, "height": 900})
    api = baked.client()
    trials = api.trials("oven", "two")
    hot = next(trial for trial in trials if trial.get("feasible") is False)
    places = [("task", f"{baked.url}/#/oven/task/two", 5), ("campaign", f"{baked.url}/#/oven", 3), ("report", baked.report.as_uri(), 5)]
    for place, url, canvases in places:
        visit(page, url, canvases)
        if place == "task":
            expect(page.locator("[data-fact=constraints] li")).to_have_text(["heat <= 42", "-0.5 <= load <= 0.9"])
            use = api.recommendation("oven", "two")["feasible"]
            expect(page.locator(".fact.wide")).to_contain_text(f"feasible with {math.floor(100 * use + 0.5)} %")
        else:
            words = ", where heat <= 42, -0.5 <= load <= 0.9"
            expect(page.locator(".heading" if place == "campaign" else "#summary")).to_contain_text(words)
            best = short(api.task("oven", "two")["best"]["value"])
            race = page.get_by_role("img", name="Best feasible value at the highest fidelity against cost")
            expect(race).to_have_attribute("aria-label", re.compile(f"two {re.escape(best)} after"))
        if place != "campaign":
            along = page.get_by_role("img", name="Probability that all constraints hold along x")
            expect(along).to_have_attribute("aria-label", re.compile(r" % at x = .* to \d+ % over its range"))
            heat = short(hot["constraints"]["heat"])
            row = page.locator(f"[data-trial='{hot['trial'] if place == 'task' else 'two/%d' % hot['trial']}']")
            if place == "report":
                page.get_by_role("button", name="one: ", exact=False).click()  # only the second task is drawn
            cell = row.get_by_role("cell", name=f"heat {heat}, which breaks heat <= 42")
            expect(cell).to_have_text(f"{heat} > 42")
            expect(row.get_by_role("cell", name="no", exact=True)).to_have_count(1)
        expect(page.get_by_text("infeasible: breaks a bound")).to_be_visible()
        strip = page.get_by_role("img", name="Trials in the order of payment")
        expect(strip).to_have_attribute("aria-label", re.compile(r"\d infeasible"))
        assert page.evaluate(UNNAMED) == [] and not scrolls_sideways(page)
        shot(page, f"oven-{place}-{theme}-{width}")
        assert violations(page) == [], place
    assert set(page.complaints) <= {baked.report.as_uri()}  # a file, not from this machine's network


def test_nothing_is_said_of_descriptors_where_there_are_none(page, campaign, report):
    for url in (f"{campaign.url}/#/{quote(NAME)}/knowledge", report.as_uri()):
        visit(page, url, 4)
        expect(page.get_by_text("Which descriptors matter")).to_have_count(0)


def test_every_page_says_where_one_is(page, campaign):
    for url, heading, title, canvases in pages(campaign):
        visit(page, url, canvases)
        expect(page.locator("h1")).to_have_text(heading)
        expect(page).to_have_title(title)
        assert page.locator("header, main").count() == 2
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4')].map((h) => Number(h.tagName[1]))")
        assert levels[0] == 1 and levels.count(1) == 1, levels
        assert all(after - before <= 1 for before, after in zip(levels, levels[1:])), levels
        # The first stop of the keyboard leads to the content, and the address stays.
        page.keyboard.press("Tab")
        expect(page.locator(".skip")).to_be_focused()
        before = page.url
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()
        assert page.url == before
    page.goto(f"{campaign.url}/#/nothing")
    expect(page.locator("h1")).to_have_count(1)


def test_every_canvas_is_told_in_words(page, campaign):
    for url, heading, _, canvases in pages(campaign):
        visit(page, url, canvases)
        page.wait_for_function(f"() => {UNNAMED}.length === 0", timeout=10_000)
    best = campaign.client().task(NAME, "monday")["best"]["value"]
    visit(page, pages(campaign)[1][0], 3)
    race = page.get_by_role("img", name="Best value at the highest fidelity against cost")
    expect(race).to_have_attribute("aria-label", re.compile(f"monday {str(best)[:5]}"))


def test_labels_follow_the_data(page, service):
    api = service.client()
    api.create("c", space=[{"name": "x", "low": 0, "high": 1}], goal="maximize", tasks=[{"name": "t", "budget": 9}])
    api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.25)
    page.goto(f"{service.url}/#/c")
    label = page.get_by_role("img", name="Best value at the highest fidelity against cost")
    expect(label).to_have_attribute("aria-label", "Best value at the highest fidelity against cost, a line per task: t 0.25 after a cost of 1.")
    api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.75)
    expect(label).to_have_attribute("aria-label", "Best value at the highest fidelity against cost, a line per task: t 0.75 after a cost of 2.")


def test_the_trial_table_is_used_by_keyboard(page, campaign):
    visit(page, f"{campaign.url}/#/{quote(NAME)}/task/tuesday", 8)
    table = page.get_by_role("table", name="Trials of tuesday, newest first")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["trial", "fidelity", "value", "width", "rate", "optimiser", "cost", "nats here", "nats later", "what for", "by"]
    )
    expect(table).to_have_attribute("aria-rowcount", "21")
    page.get_by_role("region", name="Trials of tuesday, newest first").focus()
    page.keyboard.press("Tab")
    row = lambda trial: page.locator(f"[name='trial-{trial}']")
    expect(row(19)).to_be_focused()
    outline = "getComputedStyle(document.activeElement.closest('tr')).outlineStyle"
    assert page.evaluate(outline) == "solid"
    # Arrows go from row to row, Enter and Space do what a click does.
    page.keyboard.press("ArrowDown")
    expect(row(18)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".story")).to_contain_text("Trial 18")
    expect(page.locator(".story")).to_contain_text("failed: the simulator crashed")
    expect(row(18)).to_be_focused()
    page.keyboard.press("End")
    expect(row(0)).to_be_focused()
    expect(row(0)).to_be_in_viewport()
    page.keyboard.press("Space")
    expect(page.locator(".story")).to_contain_text("Trial 0")
    page.keyboard.press("Home")
    expect(row(19)).to_be_focused()
    # The form of a pending trial is the next stop.
    page.keyboard.press("Tab")
    expect(page.get_by_label("Value of trial 19")).to_be_focused()


def test_focus_stays_while_trials_come(page, service):
    api = service.client()
    api.create("c", space=[{"name": "x", "low": 0, "high": 1}], goal="maximize", tasks=[{"name": "t", "budget": 9}])
    api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.25)
    page.goto(f"{service.url}/#/c")
    link = page.locator(".legend-line").first
    link.focus()
    api.tell("c", "t", api.ask("c")["trial"]["trial"], 0.5)
    expect(page.locator("[data-fact='trials']")).to_have_text("2")
    expect(link).to_be_focused()
    page.get_by_role("button", name="Dark theme").press("Enter")
    expect(page.get_by_role("button", name="Light theme")).to_be_focused()


def test_slices_are_moved_by_keyboard(page, campaign):
    visit(page, f"{campaign.url}/#/{quote(NAME)}/task/tuesday", 8)
    words = page.locator(".hover-words").first
    expect(words).to_contain_text("the recommended point")
    page.get_by_role("slider", name="width").press("ArrowRight")
    expect(words).to_contain_text("through the chosen point")
    page.get_by_role("button", name="Back to the recommended point").press("Enter")
    expect(words).to_contain_text("the recommended point")


def test_a_phone_shows_all_of_the_dashboard(browser, campaign):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    for url, heading, _, canvases in pages(campaign):
        visit(page, url, canvases)
        page.wait_for_timeout(300)
        assert not scrolls_sideways(page), heading
        small = page.evaluate(
            """[...document.querySelectorAll("a, button, summary, select, input")]
                 .map((e) => [e.textContent || e.ariaLabel, e.getBoundingClientRect(), e])
                 .filter(([, box, e]) => box.width > 0 && !e.matches(".skip") && Math.min(box.width, box.height) < 24
                   && !(e.type === "checkbox" && e.closest("label").getBoundingClientRect().height >= 24))
                 .map(([text, box]) => `${text}: ${box.width} x ${box.height}`)"""
        )
        assert small == [], heading
    # A tap reads a line, and a trial.
    visit(page, f"{campaign.url}/#/{quote(NAME)}/task/monday", 8)
    canvas = page.get_by_role("img", name="Parallel coordinates")
    canvas.scroll_into_view_if_needed()
    words = page.locator(".hover-words").nth(1)
    for y in range(30, 230, 6):
        canvas.tap(position={"x": 300, "y": y})
        if "Trial" in words.inner_text():
            break
    expect(words).to_contain_text("→")
    page.locator("[data-trial='3']").tap()
    expect(page.locator(".story")).to_contain_text("Trial 3")
    context.close()


def test_the_report_opens_with_the_answer(page, campaign, report):
    api = campaign.client()
    page.goto(report.as_uri())
    opening = page.locator("main > section").first
    expect(opening.locator("h3")).to_have_text(["monday", "tuesday"])
    for i, task in enumerate(["monday", "tuesday"]):
        words = opening.locator("p").nth(i).inner_text()
        use, best = api.recommendation(NAME, task), api.task(NAME, task)["best"]
        at = {name: value if name == "optimiser" else short(value) for name, value in use["point"].items()}
        use_it = ", ".join(f"{parameter['name']}={at[parameter['name']]}" for parameter in SPACE)
        low, high = short(use["low"]), short(use["high"])
        assert words.startswith(f"Use {use_it}: expected {short(use['mean'])} (90 % between {low} and {high})"), words
        evaluated = any(t["point"] == use["point"] and t["fidelity"] == "fine" and t["state"] == "told" for t in api.trials(NAME, task))
        assert ("not evaluated at the highest fidelity" in words) == (not evaluated), words
        told = "no value was seen at the highest fidelity yet" if best is None else f"est seen {short(best['value'])} at width={short(best['point']['width'])}"
        assert told in words, words
    assert "It started from nothing." in opening.locator("p").nth(0).inner_text()
    paused = opening.locator("p").nth(1).inner_text()
    assert "What earlier tasks taught is judged when the task is finished." in paused, paused
    assert "The task is paused: somebody looks at it." in paused, paused
    # The first picture.
    expect(page.locator("canvas").first).to_have_attribute("aria-label", re.compile("^Best value at the highest fidelity against cost"))


def test_the_report_says_what_the_campaign_taught(page, campaign, report):
    taught = campaign.client().insight(NAME)
    page.goto(report.as_uri())
    compare_insight(page, taught)


def test_the_report_is_read_at_500_pixels_and_by_keyboard(page, report):
    page.set_viewport_size({"width": 500, "height": 900})
    page.goto(report.as_uri())
    assert not scrolls_sideways(page)
    assert page.locator("h1").count() == 1
    assert page.locator("canvas").count() == 4 + len(SPACE)
    page.wait_for_function(f"() => {UNNAMED}.length === 0", timeout=10_000)
    heading = page.get_by_role("columnheader", name="cost", exact=True)
    heading.get_by_role("button").press("Enter")
    expect(heading).to_have_attribute("aria-sort", "ascending")
    expect(heading.get_by_role("button")).to_be_focused()
    heading.get_by_role("button").press("Space")
    expect(heading).to_have_attribute("aria-sort", "descending")
    rows = page.locator("#ledger tbody button")
    rows.first.press("ArrowDown")
    expect(rows.nth(1)).to_be_focused()
    rows.nth(1).press("Enter")
    expect(page.locator("#chosen")).to_contain_text("Trial")
    expect(rows.nth(1)).to_be_focused()


def test_tasks_and_trials_are_left_out_of_the_reports_figures(page, report):
    page.goto(report.as_uri())
    race = page.get_by_role("img", name="Best value at the highest fidelity against cost")
    expect(race).to_have_attribute("aria-label", re.compile("monday .*tuesday "))
    monday = page.get_by_role("button", name="monday: ")
    monday.press("Enter")
    expect(monday).to_have_attribute("aria-pressed", "false")
    expect(monday).to_be_focused()
    expect(race).not_to_have_attribute("aria-label", re.compile("monday"))
    table = page.get_by_role("table", name="Trials of the tasks that are drawn")
    expect(table).to_have_attribute("aria-rowcount", "21")
    # What is marked on an axis keeps the lines that pass there; a click lets go.
    points = page.get_by_role("img", name="Parallel coordinates")
    points.scroll_into_view_if_needed()
    box = points.bounding_box()
    at = lambda y: (box["x"] + 56, box["y"] + y)
    page.mouse.move(*at(60))
    page.mouse.down()
    page.mouse.move(*at(120))
    page.mouse.up()
    expect(points).to_have_attribute("aria-label", re.compile(r"; \d+ are kept by what is marked"))
    page.mouse.click(*at(200))
    expect(points).not_to_have_attribute("aria-label", re.compile("are kept"))
