"""JSON requests to a model's server, with every failure as a typed error.

The key travels in a header and nowhere else: not in addresses, errors or logs.
"""

from __future__ import annotations

import json
import math
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from mnemic.errors import ModelError, ModelRateLimited, ModelRefused, ModelUnavailable
from mnemic.locks import ForkSafeLock
from mnemic.providers import extras
from mnemic.providers.breaker import Breaker, run_guarded
from mnemic.providers.deadline import call_within
from mnemic.providers.extras import certificates
from mnemic.settings.values import MASK, Secret

if TYPE_CHECKING:
    import httpx

EXTRA = "models"
# Bytes of an answer once unpacked. Parsed JSON may take twenty times as much memory.
LARGEST_ANSWER = 8 << 20
END_OF_STREAM = "[DONE]"
_LARGEST_ERROR = 64 * 1024
_EXCERPT = 200
_CONNECT_TIMEOUT = 10.0  # seconds
_CHUNK = 64 * 1024
# A key of fewer characters may be a word ("test", "ollama"), which stands in any text.
_TELLING_KEY = 8
_NAMED_KEY = r"(bearer\s+|key[\"']?\s*(?:[:=]|is|provided:?)\s*[\"']?)"
_TRY_LATER = frozenset({408, 409, 425})
_DOWN = frozenset({502, 503, 504, 529})
# What a server says of the text itself, not of the key, the address or the model's name.
_ABOUT_THE_TEXT = frozenset({400, 413, 422, 451})
# Some servers answer with a fault of their own to a field of the request that they do not know.
FAULTS = frozenset({500, 501})
ABOUT_THE_FORM = re.compile(r"response_format|json_schema|json_object|tool_choice|grammar")


class Wire:
    """Posts JSON to one server. Connects at first use; safe to use from several threads."""

    def __init__(
        self,
        base_url: str,
        *,
        service: str,
        key: Secret | None = None,
        key_header: str = "authorization",
        headers: Mapping[str, str] | None = None,
        timeout: timedelta = timedelta(seconds=10),
        breaker: Breaker | None = None,
    ) -> None:
        """``service`` names the server in errors; ``timeout`` is for the whole of a call."""
        extras.require(EXTRA, "httpx")
        self.service = service
        self._base_url = base_url.rstrip("/")
        self._key = key or Secret()
        self._key_header = key_header
        self._headers = dict(headers or {})
        self._timeout = timeout.total_seconds()
        self._connect_timeout = min(_CONNECT_TIMEOUT, self._timeout)
        self.breaker = breaker
        self._client: httpx.Client | None = None
        self._lock = ForkSafeLock()

    def post(
        self,
        path: str,
        payload: object,
        *,
        largest: int = LARGEST_ANSWER,
        hurry: timedelta | None = None,
    ) -> Any:
        """The answer as parsed JSON; one of more than ``largest`` bytes is refused.

        ``hurry``: somebody waits, for no longer than this. A server that failed before is then
        probed in the background, and this call fails at once.
        """
        body = _encode(payload)

        def send(timeout: float) -> Any:
            def late() -> ModelUnavailable:
                self.close()
                return self._too_slow(timeout)

            client = self._connect()  # before the clock starts: the first time is slow
            return call_within(
                timeout, lambda seconds: self._exchange(client, path, body, seconds, largest), late
            )

        return run_guarded(self.breaker, send, self._timeout, hurry)

    def stream(self, path: str, payload: object, take: Callable[[Any], None]) -> None:
        """Hand over each event of an answer as it comes, on this thread; each wait times out."""
        body = _encode(payload)

        def send(_: float) -> None:
            with self._response(self._connect(), path, body) as response:
                answer = self._read_events(response, take)
            if answer is not None:
                take(self._parse(answer))

        run_guarded(self.breaker, send, self._timeout)

    def close(self) -> None:
        """Drop the connections; the next call makes new ones."""
        with self._lock:
            client, self._client = self._client, None
        if client is not None:
            client.close()

    def _connect(self) -> httpx.Client:
        with self._lock:
            if self._client is None:
                library = extras.load(EXTRA, "httpx")
                headers = {
                    "content-type": "application/json",
                    "accept": "application/json",
                    "accept-encoding": ACCEPTED,
                    **self._headers,
                }
                if self._key:
                    scheme = "Bearer " if self._key_header == "authorization" else ""
                    headers[self._key_header] = scheme + self._key.reveal().strip()
                timeout = library.Timeout(self._timeout, connect=self._connect_timeout)
                try:
                    # Redirects are not followed: the key is meant for this address.
                    self._client = library.Client(
                        base_url=self._base_url,
                        headers=headers,
                        timeout=timeout,
                        verify=certificates(),
                    )
                except (library.InvalidURL, UnicodeError) as error:
                    raise self._unsendable(error) from None
            return self._client

    def _exchange(
        self, client: httpx.Client, path: str, body: bytes, seconds: float, largest: int
    ) -> Any:
        end = time.monotonic() + seconds
        with self._response(client, path, body) as response:
            answer = b"".join(self._pieces(response, _CHUNK, end, largest))
        return self._parse(answer)

    def _read_events(self, response: httpx.Response, take: Callable[[Any], None]) -> bytes | None:
        """Lines of server-sent events or of JSON; gives a body that is one JSON value instead."""
        body, begin, is_streamed = bytearray(), 0, False
        for data in self._pieces(response, None):
            body += data
            while (end := body.find(b"\n", begin)) >= 0:
                line, begin = bytes(body[begin:end]), end + 1
                if (event := _event(line)) is not None:
                    is_streamed = True
                    take(event)
        if not is_streamed:
            return bytes(body)
        if (event := _event(bytes(body[begin:]))) is not None:
            take(event)
        return None

    def _parse(self, body: bytes) -> Any:
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ModelUnavailable(
                f"{self.service} answered something that is not whole JSON", remedy="Try again"
            ) from error

    @contextmanager
    def _response(self, client: httpx.Client, path: str, body: bytes) -> Iterator[httpx.Response]:
        """The answer, if it is one of success; every failure is a ModelError."""
        httpx = extras.load(EXTRA, "httpx")
        try:
            with client.stream("POST", path, content=body) as response:
                if response.status_code != 200:
                    raise self._failure(response, b"".join(self._pieces(response, _CHUNK)))
                yield response
        except httpx.TimeoutException as error:
            raise self._too_slow() from error
        except (httpx.LocalProtocolError, httpx.InvalidURL) as error:
            raise self._unsendable(error) from None
        except (httpx.HTTPError, OSError, RuntimeError) as error:
            # RuntimeError: the client was closed while another call ran into its deadline.
            raise ModelUnavailable(
                f"{self.service} cannot be reached or hung up ({type(error).__name__})",
                remedy="Check the address and the network, then try again",
                outage=True,
            ) from error

    def _pieces(
        self,
        response: httpx.Response,
        size: int | None,
        end: float = math.inf,
        largest: int = LARGEST_ANSWER,
    ) -> Iterator[bytes]:
        """The body, unpacked here and not by httpx: a chunk of it may unpack to any size. Without a
        size of its pieces they come as they arrive. Of an error only the beginning is read.
        """
        failed = response.status_code != 200
        largest = min(largest, _LARGEST_ERROR) if failed else largest
        decoder = Decoder(response.headers.get("content-encoding", ""), self.service)
        total = 0
        for chunk in response.iter_raw(size):
            unpacked = decoder.decode(chunk, largest + 1 - total)
            total += len(unpacked)
            if time.monotonic() > end:
                raise self._too_slow()
            if total > largest and not failed:
                raise ModelUnavailable(
                    f"{self.service} answered more than {largest / (1 << 20):.3g} MB",
                    remedy="Check that the address is one of a model",
                )
            yield unpacked
            if total > largest:
                return
        decoder.finish()

    def _unsendable(self, error: Exception) -> ModelRefused:
        """Without the error's own words: they may show the key."""
        return ModelRefused(
            f"The address or key of {self.service} cannot be sent ({type(error).__name__})",
            remedy="Correct base_url or api_key",
            away=True,
        )

    def _too_slow(self, timeout: float = 0.0) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self.service} did not answer whole within {timeout or self._timeout:g} s",
            remedy="Try again later, or raise the timeout",
            outage=True,
        )

    def _failure(self, response: httpx.Response, body: bytes) -> ModelError:
        """The error that an answer other than 200 stands for."""
        status = response.status_code
        message = f"{self.service} answered {status}"
        if status in (401, 403):  # What it says may repeat the key.
            remedy = "Check the key and what it may be used for"
            return ModelRefused(message, remedy=remedy, status=status, away=True)
        message += self._excerpt(body)
        if status in FAULTS and ABOUT_THE_FORM.search(body.decode("utf-8", "replace")):
            remedy = "Choose a server or a model that gives text"
            return ModelRefused(message, remedy=remedy, status=status, away=True)
        if status == 429:
            return ModelRateLimited(
                message, remedy="Wait before trying again", retry_after=_retry_after(response)
            )
        if status >= 500 or status in _TRY_LATER:
            return ModelUnavailable(
                message, remedy="Try again later", outage=status in _DOWN, status=status
            )
        if 300 <= status < 400:
            return ModelRefused(
                message, remedy="Set the address it is to be found at", status=status, away=True
            )
        return ModelRefused(
            message,
            remedy="Check the address, the model's name and the input",
            status=status,
            away=status not in _ABOUT_THE_TEXT,
        )

    def mask(self, text: str) -> str:
        """A text without the key; a short key is masked only where it is presented as one."""
        key = self._key.reveal().strip()
        if len(key) >= _TELLING_KEY:
            return text.replace(key, MASK)
        if not key:
            return text
        named = rf"(?i:{_NAMED_KEY}){re.escape(key)}(?![\w-])"
        return re.sub(named, lambda match: match[1] + MASK, text)

    def _excerpt(self, body: bytes) -> str:
        text = self.mask(body.decode("utf-8", "replace"))
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            content = text
        if isinstance(content, dict):
            inner = content.get("error", content.get("message", ""))
            content = inner.get("message", "") if isinstance(inner, dict) else inner
        line = " ".join(content.split()) if isinstance(content, str) else ""
        return f": {line[:_EXCERPT]}" if line else ""


def _encode(payload: object) -> bytes:
    return json.dumps(payload, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")


def _event(line: bytes) -> Any:
    """The value in a line of a stream; None where it has none."""
    data = line.strip().removeprefix(b"data:").strip()
    if data == END_OF_STREAM.encode():
        return END_OF_STREAM
    if not data.startswith(b"{"):
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _retry_after(response: httpx.Response) -> timedelta | None:
    """The wait a server asks for: milliseconds, seconds or a date; None if it does not say."""
    headers = response.headers
    try:
        if "retry-after-ms" in headers:
            return max(timedelta(milliseconds=float(headers["retry-after-ms"])), timedelta())
        value = headers["retry-after"].strip()
        if value.replace(".", "", 1).isdigit():
            return timedelta(seconds=float(value))
        at = parsedate_to_datetime(value)
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return max(at - datetime.now(UTC), timedelta())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None


ACCEPTED = "gzip, deflate"
_EITHER = 32 + zlib.MAX_WBITS  # gzip or zlib, by the first bytes


class Decoder:
    """Turns the bytes of a body into the bytes that were meant, by its content-encoding. A packed
    answer may unpack to a thousand times its size, so each step says how much it may yield.
    """

    def __init__(self, encoding: str, service: str) -> None:
        """An encoding that was not asked for is refused."""
        name = encoding.strip().lower()
        if name not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ModelUnavailable(
                f"{service} packed its answer as {name[:40]}, which was not asked for",
                remedy="Remove the proxy that compresses answers, or name another address",
            )
        self._service = service
        self._packed = name not in ("", "identity")
        self._unpacking = zlib.decompressobj(_EITHER)
        self._begun = False

    def decode(self, chunk: bytes, most: int) -> bytes:
        """At most ``most`` bytes; what lies beyond them is dropped."""
        if not self._packed or not chunk or most <= 0:
            return chunk[: max(0, most)]
        first, self._begun = not self._begun, True
        try:
            return self._unpacking.decompress(chunk, most)
        except zlib.error as error:
            if not first:
                raise self._broken() from error
        # Deflate without a head, as some servers send it.
        self._unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return self._unpacking.decompress(chunk, most)
        except zlib.error as error:
            raise self._broken() from error

    def finish(self) -> None:
        """Raise unless the body was whole."""
        if self._begun and not self._unpacking.eof:
            raise self._broken()

    def _broken(self) -> ModelUnavailable:
        return ModelUnavailable(
            f"{self._service} sent an answer that cannot be unpacked", remedy="Try again"
        )
