"""The devices of one space: merging with a database, and exchanging through a folder."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from mnemic.errors import ConfigError, InvalidInput, StoreUnavailable
from mnemic.late import dataclass
from mnemic.providers.vault import Vault
from mnemic.rules.checks import check_path
from mnemic.store.postgres.address import is_address
from mnemic.store.sqlite.keys import choose_key
from mnemic.sync.exchange import FolderExchange, Progress
from mnemic.sync.keys import Keyring
from mnemic.sync.merge import MergeSource, merge_database
from mnemic.sync.report import DevicesReport, ExchangeReport, MergeReport
from mnemic.sync.state import read_state
from mnemic.sync.steps import DeviceServices


@dataclass(frozen=True, slots=True, eq=False)
class Devices:
    """``met`` is called after changes of others came in."""

    services: DeviceServices
    met: Callable[[], None]

    def merge(self, other: str | Path, *, mine: bool, preview: bool) -> MergeReport:
        place = str(other)
        place = place if is_address(place) else str(Path(check_path(place, "other")).expanduser())
        secrets = self.services.space.settings.secrets
        vault = Vault(secrets.key.reveal(), Path(place).parent / secrets.key_file)

        def unseal(text: str) -> str:
            try:
                return vault.open(text)
            except ConfigError:
                return text  # sealed with a key that is not here

        source = MergeSource(place, choose_key(None, None), unseal)
        report = merge_database(self.services, source, mine=mine, preview=preview)
        if not preview:
            self.met()
        return report

    def exchange(
        self, folder: str | Path, passphrase: str = "", add: str = "", remove: str = "",
        progress: Progress = lambda done, total: None,
    ) -> ExchangeReport:  # fmt: skip
        place = Path(check_path(folder, "folder")).expanduser().absolute()
        if self.services.database is None:
            raise InvalidInput(
                "A memory that is not on disk has no other devices", remedy="Open it in a file"
            )
        ring = Keyring.open(self.services.database, self.services.space.name)
        try:
            exchange = FolderExchange(self.services, ring, place, passphrase, progress)
            if remove:
                exchange.remove(remove)
            if add:
                exchange.add(add)
            report = exchange.run()
        except OSError as error:
            raise StoreUnavailable(
                f"{place} cannot be used: {error}", remedy="Give a folder that can be written to"
            ) from error
        if report.read:
            self.met()
        return report

    def report(self) -> DevicesReport:
        database, services = self.services.database, self.services
        public = "" if database is None or find_spec("pyrage") is None else (
            Keyring.open(database, services.space.name).public)  # fmt: skip
        with services.space.read() as unit:
            return read_state(unit, public)
