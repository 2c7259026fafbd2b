from contextlib import suppress

import mnemic
from mnemic.errors import ServiceUnavailable
from mnemic.serve.http.issuer import Issuer

issuer = Issuer("http://127.0.0.1:9", audience="mnemic")  # nobody listens there
with mnemic.connect("memory.db") as engine, suppress(ServiceUnavailable):
    issuer.admit("header.claims.signature", engine.tokens)
    raise AssertionError("a token was accepted that nobody signed")
