"""The page as PDF by WeasyPrint, with tags for screen readers. It reads no file and no address but Matplotlib's own fonts."""

import os
from pathlib import Path
from typing import Any

# The fonts' own times would differ from run to run.
os.environ["SOURCE_DATE_EPOCH"] = "0"

import matplotlib  # noqa: E402

from .source import CannotReport  # noqa: E402

FOLDER = Path(matplotlib.get_data_path()) / "fonts/ttf"
FACES = {(FOLDER / "DejaVuSans.ttf").as_uri(): "normal", (FOLDER / "DejaVuSans-Bold.ttf").as_uri(): "bold"}


def pdf_of(page: str) -> bytes:
    try:
        import weasyprint
    except OSError as error:
        raise CannotReport(f"PDF needs the library Pango ({error}): on Debian, apt-get install libpango-1.0-0 libpangoft2-1.0-0 "
                           "libharfbuzz-subset0; HTML needs none") from None
    from weasyprint.text.fonts import FontConfiguration
    from weasyprint.urls import FatalURLFetchingError, URLFetcher

    class Fonts(URLFetcher):  # type: ignore[misc]
        """Hands out the fonts, and the plan that is in the page itself. Another address ends the report."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            if url not in FACES and not url.startswith("data:image/"):
                raise FatalURLFetchingError(f"a report needs no {url}")
            return super().fetch(url, headers)

    fonts, fetcher = FontConfiguration(), Fonts(allowed_protocols=["file", "data"], fail_on_errors=True)
    sheet = weasyprint.CSS(string=faces(), font_config=fonts, url_fetcher=fetcher)
    document = weasyprint.HTML(string=page, url_fetcher=fetcher)
    return bytes(document.write_pdf(stylesheets=[sheet], font_config=fonts, pdf_variant="pdf/ua-1"))


def faces() -> str:
    """The fonts that Matplotlib measures with, so that each machine gives the same pages. Letters that they lack come from the system."""
    rules = "".join(f'@font-face {{ font-family: Report; font-weight: {weight}; src: url("{url}"); }}' for url, weight in FACES.items())
    return f'{rules} body, .plot svg {{ font-family: Report, "DejaVu Sans", sans-serif !important; }}'
