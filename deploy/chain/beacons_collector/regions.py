"""The regions that gateways have published, so that the database gets each once."""

from .topics import Address

# A chain of 50,000 gateways with some regions each. Beyond that all are sent again, which changes nothing.
LARGEST = 500_000


class Regions:
    """A state shows that a gateway monitors a region, even an empty one. Events have everything else in it."""

    def __init__(self) -> None:
        self.known: set[tuple[str, str, str | None]] = set()

    def is_new(self, state: Address) -> bool:
        """Whether the database has not received this region yet."""
        region = (state.site, state.gateway, state.region)
        if region in self.known:
            return False
        if len(self.known) >= LARGEST:
            self.known.clear()
        self.known.add(region)
        return True
