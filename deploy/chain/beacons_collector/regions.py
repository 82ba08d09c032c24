"""Which regions gateways have told of, so that the database hears of each once."""

from .topics import Address

# A chain of 50,000 gateways with some regions each. Beyond that all are told again, which changes nothing.
LARGEST = 500_000


class Regions:
    """A state says that a gateway looks after a region, whether anybody is in it or not; all else of it events say as well."""

    def __init__(self) -> None:
        self.known: set[tuple[str, str, str | None]] = set()

    def are_news(self, state: Address) -> bool:
        """Whether the database is to be told of this one."""
        region = (state.site, state.gateway, state.region)
        if region in self.known:
            return False
        if len(self.known) >= LARGEST:
            self.known.clear()
        self.known.add(region)
        return True
