"""A store's floor plan as a picture, and the configuration of its `beacond site`: as an operator would have them for the page and the report."""

from .shops import Shop, Zone

# The picture's units for a metre. The page and the report draw upwards from the lower left corner.
UNITS = 20
SHELF_M, AISLE_M = 0.9, 2.0


def plan_of(shop: Shop) -> str:
    width, depth = shop.size_m
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width * UNITS:g}" height="{depth * UNITS:g}" viewBox="0 0 {width * UNITS:g} {depth * UNITS:g}">',
             f'<rect x="1" y="1" width="{width * UNITS - 2:g}" height="{depth * UNITS - 2:g}" fill="none" stroke="#6b7280" stroke-width="3"/>']
    for zone in shop.zones:
        parts += [f'<rect x="{left * UNITS:g}" y="{(depth - top) * UNITS:g}" width="{(right - left) * UNITS:g}" height="{(top - bottom) * UNITS:g}" fill="#9aa3af" '
                  'stroke="#6b7280"/>' for left, bottom, right, top in shelves(zone)]
    return "\n".join([*parts, "</svg>", ""])


def shelves(zone: Zone) -> list[tuple[float, float, float, float]]:
    """Rows with aisles between them. Nothing stands in the entrance."""
    left, bottom, right, top = zone.box_m
    if zone.name == "entrance":
        return []
    found, x = [], left + AISLE_M
    while x + SHELF_M < right - 0.5:
        found.append((x, bottom + 1.2, x + SHELF_M, top - 1.2))
        x += SHELF_M + AISLE_M
    return found


def configuration_of(shop: Shop) -> str:
    lines = ["[mqtt]", 'url = "mqtt://127.0.0.1:1883"', "", "[site]", f'id = "{shop.site}"']
    for zone in shop.zones:
        left, bottom, right, top = zone.box_m
        lines += ["", "[[site.gateway]]", f'id = "{zone.name}"', f'zone = "{zone.name}"', f"position = [{(left + right) / 2:g}, {(bottom + top) / 2:g}]"]
    return "\n".join([*lines, ""])
