"""TLS to the broker, and what OpenSSL has to say about it."""

import re
import ssl

from .options import Options


class Unusable(Exception):
    """A file of the command line that is not what it should be."""


def tls_context(options: Options) -> ssl.SSLContext | None:
    """What a connection is encrypted with; None for one that is not. Raises Unusable."""
    if not options.is_encrypted:
        return None
    try:
        context = ssl.create_default_context(cafile=options.ca_file)
    except OSError as error:
        raise Unusable(f"--ca-file {options.ca_file}: {words(error)}") from None
    if options.cert_file:
        try:
            # An empty password: without one OpenSSL asks for it, on a terminal that nobody looks at.
            context.load_cert_chain(options.cert_file, options.key_file, password="")
        except OSError as error:
            raise Unusable(f"--cert-file {options.cert_file} --key-file {options.key_file}: {words(error)}") from None
    return context


def words(error: BaseException | None) -> str:
    """What went wrong, without the places in the source that OpenSSL and Python put around it."""
    return re.sub(r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$", "", str(error))
