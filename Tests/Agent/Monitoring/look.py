#!/usr/bin/env python3
"""Looks at the alerts and the dashboard through a running Prometheus, which has the figures of real agents and collectors.

    look.py names URL FILE…         what rules and dashboard name is in these files of figures: metrics, labels and their values
    look.py rules URL               every rule works, and every alert says how bad it is, what it is, what to do and where to read on
    look.py tested                  every alert fires in a test
    look.py holds URL EXPRESSION    the expression is true of somebody
    look.py layout                  the dashboard's panels have a number of their own, and a place of their own
    look.py panels URL              every expression of the dashboard is answered
    look.py fires URL ALERT NAME [TEXT]     the alert fires for the machine or gateway, and says the text
    look.py quiet URL ALERT NAME            it does not

Status 1, and a line for each problem.
"""

import json
import pathlib
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

from project import ROOT

MONITORING = ROOT / "deploy/monitoring"
ARTICLES = ROOT / "Sources/beacond/Documentation.docc"
OURS = re.compile(r"\b(?:beacond|beacons)_[a-zA-Z0-9_]+\b")
SELECTOR = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)\{([^}]*)\}")
MATCHER = re.compile(r'([a-zA-Z_]\w*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"')
SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+")
# What Prometheus says of targets, and what targets are given.
GIVEN = {"job", "instance", "site"}
SEVERITIES = {"critical", "warning"}
# What the dashboard's variables stand for here.
VARIABLES = {"$__rate_interval": "1m", "$site": ".*", "$machine": ".*"}


def ask(url, path, **query):
    """A question to Prometheus' API; one that it refuses is answered with the reason."""
    try:
        with urllib.request.urlopen(f"{url}/api/v1/{path}?{urllib.parse.urlencode(query)}", timeout=30) as answer:
            return json.load(answer)["data"], None
    except urllib.error.HTTPError as refusal:
        # While it starts it answers with one line of text.
        text = refusal.read().decode()
        return None, json.loads(text)["error"] if text.startswith("{") else text
    except OSError as error:
        return None, str(error)


def rules(url):
    groups, refusal = ask(url, "rules")
    if refusal:
        sys.exit(refusal)
    return [rule for group in groups["groups"] for rule in group["rules"]]


def panels():
    """The title of each panel, and an expression of it."""
    dashboard = json.loads((MONITORING / "dashboard.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        if question := re.match(r"label_values\((.*), (\w+)\)$", variable["query"]):
            yield f"${variable['name']}", f"count by ({question[2]}) ({question[1]})"
    for annotation in dashboard["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


def filled_in(expression):
    for name, value in VARIABLES.items():
        expression = expression.replace(name, value)
    return expression


def figures(files):
    """Of each metric, the values of each of its labels."""
    known = {}
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            if not line.startswith("#") and (sample := SAMPLE.fullmatch(line)):
                labels = known.setdefault(sample[1], {})
                for name, _, value in MATCHER.findall(sample[2] or ""):
                    labels.setdefault(name, set()).add(value)
    return known


def strangers(expression, known, recorded):
    """Names in an expression that no process exports."""
    expression = filled_in(expression)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', expression)
    for name in sorted(set(OURS.findall(bare))):
        # A recorded name has the metric's within.
        if name not in known and not any(name in other for other in recorded if other in bare):
            yield f"no such metric: {name}"
    for name in set(re.findall(r"\w+:\w+:\w+", bare)) - recorded:
        yield f"no such record: {name}"
    for metric, matchers in SELECTOR.findall(expression):
        for label, operator, value in MATCHER.findall(matchers):
            values = known.get(metric, {}).get(label)
            if metric not in known or label in GIVEN:
                continue
            if values is None:
                yield f"{metric} has no label {label}"
            elif operator in ("=", "!=") and value not in values:
                yield f"{metric} has no {label} {value}"
            elif operator in ("=~", "!~"):
                for part in value.split("|"):
                    if not any(re.fullmatch(part, one) for one in values):
                        yield f"{metric} has no {label} like {part}"


def names(url, *files):
    known, every = figures(files), rules(url)
    recorded = {rule["name"] for rule in every if rule["type"] == "recording"}
    expressions = [(rule["name"], rule["query"]) for rule in every] + list(panels())
    used = set()
    for name, expression in expressions:
        used |= set(OURS.findall(expression))
        yield from (f"{name}: {stranger}" for stranger in strangers(expression, known, recorded))
    # The check is one that can fail.
    for wrong in ("beacond_nonsense", 'beacond_dropped_total{cause="nonsense"}', 'beacond_tracks{kind="a"}', "a:beacond_tracks:b"):
        if not list(strangers(wrong, known, recorded)):
            yield f"{wrong} was not found out"
    if left := sorted(known.keys() - used):
        yield f"neither on the dashboard nor in an alert: {', '.join(left)}"
    print(f"{len(expressions)} expressions, {len(known)} metrics")


def headings(article):
    """As Tests/Tools/links.py makes them."""
    for heading in re.findall(r"^#+ (.*)$", (ARTICLES / article).read_text(), flags=re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def rules_are_whole(url):
    every = rules(url)
    for rule in every:
        if rule["health"] != "ok":
            yield f"{rule['name']}: {rule['health']}: {rule.get('lastError')}"
        if rule["type"] != "alerting":
            continue
        said = rule["annotations"]
        if rule["labels"].get("severity") not in SEVERITIES:
            yield f"{rule['name']}: no severity"
        yield from (f"{rule['name']}: no {word}" for word in ("summary", "description", "article") if not said.get(word))
        article, _, heading = said.get("article", "").partition("#")
        if not (ARTICLES / article).is_file() or heading not in headings(article):
            yield f"{rule['name']}: no section {said.get('article')}"
        if f"`{rule['name']}`" not in (ARTICLES / "Monitoring.md").read_text():
            yield f"{rule['name']}: not in the article Monitoring"
        for alert in rule["alerts"]:
            if broken := [text for text in alert["annotations"].values() if "error" in text and "template" in text or "<no value>" in text]:
                yield f"{rule['name']}: {broken}"
    print(f"{len(every)} rules")


def tested():
    alerts = re.findall(r"^ *- alert: (\w+)", (MONITORING / "rules/beacond.yml").read_text(), flags=re.M)
    tests = "\n".join(file.read_text() for file in MONITORING.glob("tests/*.yml"))
    for name in alerts:
        # Either what is expected names it, or the question before that does.
        if not re.search(rf"""labels: '{{alertname="{name}"|expr: .*alertname="{name}".*\n *exp_samples""", tests):
            yield f"{name} fires in no test"
    print(f"{len(alerts)} alerts")


def panels_are_answered(url):
    count = 0
    for title, expression in panels():
        count += 1
        data, refusal = ask(url, "query", query=filled_in(expression))
        if refusal:
            yield f"{title}: {refusal}: {expression}"
        # What is left out where all is well may be nothing.
        elif not data["result"] and not re.search(r"[<>]=? *\d|== *\d|ALERTS", expression):
            yield f"{title}: no figures: {expression}"
    print(f"{count} expressions")


def holds(url, expression):
    data, refusal = ask(url, "query", query=expression)
    if refusal or not data["result"]:
        yield f"not yet: {expression} {refusal or ''}"


def layout():
    taken, numbers = {}, set()
    for panel in json.loads((MONITORING / "dashboard.json").read_text())["panels"]:
        place, name = panel["gridPos"], panel["title"]
        if panel["id"] in numbers:
            yield f"{name}: its id is another's"
        numbers.add(panel["id"])
        if place["x"] + place["w"] > 24:
            yield f"{name}: wider than the page"
        for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
            if taken.setdefault(cell, name) != name:
                yield f"{name}: over {taken[cell]}"
                break
        if panel["type"] != "row" and panel["datasource"]["uid"] != "${datasource}":
            yield f"{name}: another source than the variable's"


def alerts_of(url, alert, machine):
    return [one for rule in rules(url) if rule["name"] == alert for one in rule["alerts"]
            if one["state"] == "firing" and machine in (one["labels"].get("instance"), one["labels"].get("gateway"))]


def fires(url, alert, machine, text=""):
    if not any(text in said for one in alerts_of(url, alert, machine) for said in one["annotations"].values()):
        yield f"{alert} does not fire for {machine} with {text!r}"


def quiet(url, alert, machine):
    if found := alerts_of(url, alert, machine):
        yield f"{alert} fires: {found}"


COMMANDS = {"names": names, "rules": rules_are_whole, "tested": tested, "holds": holds, "layout": layout,
            "panels": panels_are_answered, "fires": fires, "quiet": quiet}
problems = list(COMMANDS[sys.argv[1]](*sys.argv[2:]))
print("\n".join(problems))
sys.exit(bool(problems))
