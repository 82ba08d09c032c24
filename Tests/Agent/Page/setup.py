"""A plan is set up in the page, and tiles are let in by its build."""
import subprocess
import time
import tomllib

from bench import BUILD
from shop import GATEWAYS
from verdict import SCRATCH, SITE, check, expect


def calibration(browser, broker):
    """A plan is calibrated in the page."""
    tab = browser.tab(broker.url("berlin-17"))
    tab.until(f"page.reader.ready && {SITE}?.gateways.size >= 7", "it reads")
    tab.value("""(async () => {
        document.getElementById('calibrate').click();
        const canvas = Object.assign(document.createElement('canvas'), { width: 800, height: 400 });
        canvas.getContext('2d').fillRect(100, 100, 400, 2);
        const blob = await new Promise((resolve) => canvas.toBlob(resolve));
        const files = new DataTransfer();
        files.items.add(new File([blob], 'plan.png', { type: 'image/png' }));
        document.getElementById('plan-file').files = files.files;
        document.getElementById('plan-file').dispatchEvent(new Event('change'));
    })()""")
    tab.until("page.plan.image && page.plan.fitted && page.calibrating === 'points'", "the picture is shown")
    place = "(() => { const box = page.plan.canvas.getBoundingClientRect(), c = page.plan.camera; return [box.left + c.x(%s), box.top + c.y(%s)]; })()"
    width = tab.value("page.layout.plan.width_m")
    # The line of the picture: from 1/8 to 5/8 of the width, at 3/4 of the height.
    for share in (0.125, 0.625):
        where = tab.value(place % (share * width, 0.75 * width / 2))
        tab.drag(where, where)
    expect(tab, "two taps ask for the length", "!document.getElementById('plan-distance').hidden")
    tab.value("document.getElementById('plan-metres').value = 15; document.getElementById('plan-distance').requestSubmit()")
    expect(tab, "15 m that are half of the width make a plan of 30 m", "Math.abs(page.layout.plan.width_m - 30) < 0.5", "page.layout.plan")
    time.sleep(0.3)
    tab.drag(tab.value(place % tuple(GATEWAYS["bakery"][1:])), tab.value(place % (12.5, 7.5)))
    expect(tab, "a gateway that was dragged stands there", "Math.hypot(page.layout.gateways.get('bakery').x_m - 12.5, page.layout.gateways.get('bakery').y_m - 7.5) < 0.3",
           "[...page.layout.gateways.values()]")
    tab.until("document.getElementById('lines').value.includes('bakery')", "the lines are there")
    lines = tomllib.loads(tab.value("document.getElementById('lines').value"))["site"]["gateway"]
    moved = next(one for one in lines if one["id"] == "bakery")
    check("the lines to paste say so", len(lines) == 6 and abs(moved["position"][0] - 12.5) < 0.3 and moved["zone"] == "bakery", lines)
    tab.open(broker.url("berlin-17").replace("#", "?again#"))
    expect(tab, "the browser keeps it", "page.plan.image && Math.abs(page.layout.gateways.get('bakery').x_m - 12.5) < 0.3")
    tab.value("page.resetLayout()")
    expect(tab, "and forgets it when asked", "page.layout.gateways.get('bakery').x_m === 21 && !page.layout.plan")


def tiles():
    """The policy in the file names the tiles' origin, and nothing else."""
    path = SCRATCH / "tiles.html"
    subprocess.run([BUILD, "--output", path, "--tiles", "https://tiles.example.com/{z}/{x}/{y}.png"], check=True, stdout=subprocess.DEVNULL)
    check("tiles are allowed from their origin", "img-src data: blob: https://tiles.example.com;" in path.read_text())
    refused = subprocess.run([BUILD, "--output", path, "--tiles", "https://a.example; script-src *"], capture_output=True)
    check("a tile URL can't say more than its origin", refused.returncode == 1)
