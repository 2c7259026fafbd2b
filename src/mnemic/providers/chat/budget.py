"""The daily limit of model usage, and when it starts again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from mnemic.clock import Clock
from mnemic.days import day_bounds, day_of, in_zone
from mnemic.errors import BudgetExhausted
from mnemic.language.guard import DEFAULT, Guard
from mnemic.late import dataclass
from mnemic.providers.chat.base import Meter, Spent
from mnemic.settings import Settings
from mnemic.store.contract import Store
from mnemic.types import UsageTotal


@dataclass(frozen=True, slots=True)
class SpendingLimit:
    """Tokens and cost of a day, 0 for no limit; days begin at midnight of the zone."""

    tokens: int = 0
    cost: float = 0.0
    zone: str = "local"

    @classmethod
    def of(cls, settings: Settings) -> SpendingLimit:
        model = settings.model
        return cls(model.daily_tokens, model.daily_cost, settings.schedule.zone)

    @property
    def unlimited(self) -> bool:
        return not self.tokens and not self.cost

    def since(self, now: datetime) -> datetime:
        """When the day began."""
        return day_bounds(day_of(now, self.zone), self.zone)[0]

    def until(self, now: datetime) -> datetime:
        """When the next day begins."""
        return day_bounds(day_of(now, self.zone), self.zone)[1]

    def check(self, today: Sequence[UsageTotal], now: datetime) -> None:
        """Raise BudgetExhausted unless the next call may be made; the last may go over."""
        tokens = sum(total.input_tokens + total.output_tokens for total in today)
        if self.tokens and tokens >= self.tokens:
            used = f"{tokens:,} of {self.tokens:,} tokens"
            raise self._make_error(used, "model.daily_tokens", now)
        cost = sum(total.cost or 0.0 for total in today)
        if self.cost and cost >= self.cost:
            used = f"{cost:.4g} of {self.cost:.4g} for models"
            raise self._make_error(used, "model.daily_cost", now)

    def _make_error(self, used: str, setting: str, now: datetime) -> BudgetExhausted:
        until = self.until(now)
        until_text = in_zone(until, self.zone).isoformat(" ", "minutes")
        return BudgetExhausted(
            f"Today's {used} are used up, so this waits until {until_text}",
            remedy=f"Raise {setting} to go on today",
            until=until,
        )


def journal_meter(
    store: Store, space: str, clock: Clock, budget: SpendingLimit, guard: Guard = DEFAULT
) -> Meter:
    """A meter that checks the budget of a space against its journal, and records usage there."""

    def allow() -> None:
        if budget.unlimited:
            return
        now = clock.now()
        with store.read(space) as unit:
            today = unit.journal.usage(budget.since(now))
        budget.check(today, now)

    def record(purpose: str, spent: Spent) -> None:
        with store.write(space) as unit:
            unit.journal.add_usage(
                purpose=guard.name(purpose, "purpose"),
                model=guard.maybe_name(spent.model, "model"),
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                cost=spent.cost,
                at=clock.now(),
            )

    return Meter(allow, record)
