"""Published benchmark data in the shapes it is published in, told apart by their content."""

from __future__ import annotations

from bench.formats.base import Bank, Format, Item, Question
from bench.formats.beam import Beam
from bench.formats.lines import BankLines
from bench.formats.locomo import Locomo
from bench.formats.longmemeval import LongMemEval
from bench.formats.memdaily import MemDaily

FORMATS: tuple[Format, ...] = (BankLines(), Locomo(), LongMemEval(), Beam(), MemDaily())

__all__ = ["FORMATS", "Bank", "Format", "Item", "Question"]
