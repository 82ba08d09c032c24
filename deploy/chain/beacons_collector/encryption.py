"""TLS to the broker, and OpenSSL's errors."""

import re
import ssl

from .options import Options


class Unusable(Exception):
    """A file of the command line that can't be used."""


def tls_context(options: Options) -> ssl.SSLContext | None:
    """The TLS context of a connection; None for a plain one. Raises Unusable."""
    if not options.is_encrypted:
        return None
    try:
        context = ssl.create_default_context(cafile=options.ca_file)
    except OSError as error:
        raise Unusable(f"--ca-file {options.ca_file}: {words(error)}") from None
    if options.cert_file:
        try:
            # An empty password, because otherwise OpenSSL asks for one on the terminal, and waits.
            context.load_cert_chain(options.cert_file, options.key_file, password="")
        except OSError as error:
            raise Unusable(f"--cert-file {options.cert_file} --key-file {options.key_file}: {words(error)}") from None
    return context


def words(error: BaseException | None) -> str:
    """The error, without the places in the source that OpenSSL and Python add."""
    return re.sub(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$", "", str(error))
